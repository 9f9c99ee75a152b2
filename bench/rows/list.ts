import type { Inside } from '../subjects/whole-controller.ts';
import { startHelper } from '../support/helper.ts';
import { rssMb } from '../support/process-cost.ts';
import type { Row } from '../support/row.ts';
import { inWorld, type World } from '../support/world-client.ts';

/** What the first list costs, from an empty controller to ready, against reading its pages. */
export const list: Row = {
  name: 'list',
  run: async ({ scale, repetitions }) => {
    const runs = 50_000 * scale;
    const floor: number[] = [];
    const ours: number[] = [];
    const blocks: number[] = [];
    const peaks: number[] = [];
    const starts: number[] = [];
    for (let n = 0; n < repetitions; n += 1) {
      floor.push(await inWorld((world) => floorMs(world, runs)));
      const { cpuMs, blockMs, peakMb } = await inWorld((world) => ourCost(world, runs));
      ours.push(cpuMs);
      blocks.push(blockMs);
      peaks.push(peakMb);
      starts.push((await inWorld((world) => ourCost(world, 0))).cpuMs);
    }
    const what = `CPU to list ${runs} runs and be ready`;
    return {
      lines: [
        {
          what,
          unit: 'ms',
          floor,
          ours,
          budget: { of: 'ratio', atMost: 1.15 },
          note: 'in pages of 500; the floor only counts what it parses, and its own start is left out where ours is in',
        },
        { what: 'of it, a start with nothing to list', unit: 'ms', floor: [], ours: starts, budget: { of: 'none' } },
        {
          what: 'longest event-loop block in it',
          unit: 'ms',
          floor: [],
          ours: blocks,
          budget: { of: 'value', atMost: 100 },
          note: "in the thread's own CPU time, looked at every millisecond",
        },
        { what: 'peak RSS in it, from source', unit: 'MB', floor: [], ours: peaks, budget: { of: 'none' } },
      ],
    };
  },
};

async function floorMs(world: World, runs: number): Promise<number> {
  await world.ask({ do: 'list', runs });
  const floor = await startHelper<object, { seen: number; cpuMs: number }>('subjects/list-floor.ts', [world.url]);
  const { seen, cpuMs } = await floor.ask({});
  if (seen !== runs) throw new Error(`expected ${runs} listed runs, got ${seen}`);
  await floor.stop();
  return cpuMs;
}

async function ourCost(world: World, runs: number): Promise<Inside & { readonly peakMb: number }> {
  await world.ask({ do: 'list', runs });
  const subject = await startHelper<object, Inside>('subjects/whole-controller.ts', [world.url]);
  const inside = await subject.ask({});
  if (inside.retained !== runs) throw new Error(`expected ${runs} retained runs, got ${inside.retained}`);
  const peakMb = rssMb(subject.pid).peak;
  await subject.stop();
  return { ...inside, peakMb };
}
