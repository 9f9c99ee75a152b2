import type { Scrapes } from '../subjects/scrape.ts';
import { startHelper } from '../support/helper.ts';
import type { Row } from '../support/row.ts';
import { median } from '../support/statistics.ts';

/** What a scrape costs and how long it holds up everything else, against prom-client's own rendering. */
export const scrape: Row = {
  name: 'scrape',
  run: async ({ scale, repetitions }) => {
    const sizes = [1_000, 10_000, 50_000, 100_000].map((lines) => lines * scale);
    const results: Scrapes[] = [];
    for (const lines of sizes) {
      const subject = await startHelper<{ lines: number; repetitions: number }, Scrapes>('subjects/scrape.ts');
      results.push(await subject.ask({ lines, repetitions: repetitions + 2 }));
      await subject.stop();
    }
    const last = results.at(-1);
    if (last === undefined) return { lines: [] };
    const points = (of: (one: Scrapes) => readonly number[]) =>
      results.map((one) => [one.lines / 1000, median(of(one))] as const);
    return {
      lines: [
        {
          what: `scrape of ${last.lines} lines, longest event-loop block`,
          unit: 'ms',
          floor: last.floorBlockMs,
          ours: last.oursBlockMs,
          budget: { of: 'value', atMost: 50 },
        },
        {
          what: 'scrape, total',
          unit: 'ms',
          floor: last.floorMs,
          ours: last.oursMs,
          budget: { of: 'ratio', atMost: 0.7 },
          note: 'one histogram of both; ours renders our own metrics besides',
        },
      ],
      curves: [
        {
          name: 'scrape',
          title: 'A scrape by its lines',
          x: 'thousand lines',
          y: 'ms',
          series: [
            { name: 'ours', points: points(({ oursMs }) => oursMs) },
            { name: 'ours, longest block', points: points(({ oursBlockMs }) => oursBlockMs) },
            { name: 'prom-client', points: points(({ floorMs }) => floorMs) },
          ],
        },
      ],
    };
  },
};
