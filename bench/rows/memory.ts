import type { Inside } from '../subjects/whole-controller.ts';
import { startController } from '../support/controller.ts';
import { startHelper } from '../support/helper.ts';
import { eventually } from '../support/pause.ts';
import { rssMb } from '../support/process-cost.ts';
import type { Row } from '../support/row.ts';
import { runningStage } from '../support/run-text.ts';
import { inWorld, type World } from '../support/world-client.ts';

/** What a retained run costs, what is left of it once it is deleted, and what the shipped process holds. */
export const memory: Row = {
  name: 'memory',
  run: async ({ scale }) => {
    const steps = [10_000, 50_000, 100_000, 200_000].map((runs) => runs * scale);
    const { points, left } = await inWorld((world) => grow(world, steps));
    const [[leastRuns, leastHeap] = [0, 0]] = points;
    const [mostRuns, mostHeap] = points.at(-1) ?? [0, 0];
    const slope = (mostHeap - leastHeap) / (mostRuns - leastRuns);
    const listed = 100_000 * scale;
    const rss = await inWorld((world) => rssWith(world, listed));
    return {
      lines: [
        {
          what: 'heap for each retained run',
          unit: 'B',
          floor: [],
          ours: [slope],
          budget: { of: 'value', atMost: 500 },
          note: `slope from ${leastRuns} to ${mostRuns} executing runs, whole controller, after full collections`,
        },
        {
          what: 'heap left of each deleted run',
          unit: 'B',
          floor: [],
          ours: [left],
          budget: { of: 'value', atMost: 2 },
          note: 'heap by which a second life of as many runs, all deleted, is above the first',
        },
        {
          what: `RSS, bundle, ${listed} runs listed`,
          unit: 'MB',
          floor: [],
          ours: [rss],
          budget: { of: 'value', atMost: 200 },
        },
      ],
      curves: [
        {
          name: 'memory',
          title: 'Heap by retained runs',
          x: 'thousand runs',
          y: 'MB',
          series: [{ name: 'heap', points: points.map(([runs, heap]) => [runs / 1000, heap / 1e6]) }],
        },
      ],
    };
  },
};

async function grow(world: World, steps: readonly number[]) {
  const subject = await startHelper<object, Inside>('subjects/whole-controller.ts', [world.url]);
  await subject.ask({});
  await world.ask({ do: 'watched' });
  const settled = async (runs: number) => {
    await eventually(async () => (await subject.ask({})).retained === runs, 500);
    return (await subject.ask({})).heap;
  };
  const stream = (from: number, runs: number, stage: number | 'deleted') =>
    world.ask({ do: 'stream', from, runs, stages: [stage] });
  // Once through, so that code and buffers that are there for good are there before.
  await stream(0, 2000, runningStage);
  await stream(0, 2000, 'deleted');
  await settled(0);
  const points: [number, number][] = [];
  for (const runs of steps) {
    const [there = 0] = points.at(-1) ?? [];
    await stream(there, runs - there, runningStage);
    points.push([runs, await settled(runs)]);
  }
  const most = steps.at(-1) ?? 0;
  await stream(0, most, 'deleted');
  // What is remembered of strings that come again is there by now, whatever comes after it is of the runs.
  const once = await settled(0);
  await stream(most, most, runningStage);
  await settled(most);
  await stream(most, most, 'deleted');
  const twice = await settled(0);
  await subject.stop();
  return { points, left: (twice - once) / most };
}

async function rssWith(world: World, runs: number): Promise<number> {
  await world.ask({ do: 'list', runs });
  const controller = await startController({ url: world.url, args: ['--leader-elect', 'false'] });
  const { now } = rssMb(controller.pid);
  await controller.stop();
  return now;
}
