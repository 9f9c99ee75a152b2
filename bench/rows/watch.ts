import { reached, startController } from '../support/controller.ts';
import { startHelper } from '../support/helper.ts';
import { cpuMs, rssMb } from '../support/process-cost.ts';
import type { Effort, Line, Row } from '../support/row.ts';
import { stages } from '../support/run-text.ts';
import { inWorld, type World } from '../support/world-client.ts';

const allStages = stages.keys().toArray();

interface Cost {
  readonly usPerEvent: number;
  readonly peakMb: number;
}

/** What a watch event costs from the socket to the numbers and the queue, against reading it. */
export const watch: Row = {
  name: 'watch',
  run: async ({ scale, repetitions }: Effort) => {
    const runs = 20_000 * scale;
    const floor: Cost[] = [];
    const ours: Cost[] = [];
    for (let n = 0; n < repetitions; n += 1) {
      floor.push(await inWorld((world) => floorCost(world, runs)));
      ours.push(await inWorld((world) => ourCost(world, runs)));
    }
    const what = `CPU per watch event, whole path, ${runs * stages.length} events, ${runs} runs`;
    const note = 'no sink: events are made up to the queue; 4 of 10 events change a condition';
    const lines: Line[] = [
      { what, unit: 'us', floor: us(floor), ours: us(ours), budget: { of: 'ratio', atMost: 1.25 }, note },
      { what: 'peak RSS in it', unit: 'MB', floor: mb(floor), ours: mb(ours), budget: { of: 'none' } },
    ];
    return { lines };
  },
};

const us = (costs: readonly Cost[]) => costs.map(({ usPerEvent }) => usPerEvent);
const mb = (costs: readonly Cost[]) => costs.map(({ peakMb }) => peakMb);

async function floorCost(world: World, runs: number): Promise<Cost> {
  const events = runs * stages.length;
  const floor = await startHelper<object, { seen: number }>('subjects/watch-floor.ts', [world.url]);
  const cost = await costOf(floor.pid, events, async () => {
    await world.ask({ do: 'stream', from: 0, runs, stages: allStages });
    while ((await floor.ask({})).seen < events) await new Promise((resolve) => setTimeout(resolve, 50));
  });
  await floor.stop();
  return cost;
}

async function ourCost(world: World, runs: number): Promise<Cost> {
  const events = runs * stages.length;
  const controller = await startController({ url: world.url, args: ['--leader-elect', 'false'] });
  await world.ask({ do: 'watched' });
  const cost = await costOf(controller.pid, events, async () => {
    await world.ask({ do: 'stream', from: 0, runs, stages: allStages });
    await reached(controller, 'watch_events_total', 'taskruns', events);
  });
  const counted = await controller.metric('taskrun_total');
  if (counted !== runs) throw new Error(`expected ${runs} finished runs to be counted, got ${counted}`);
  await controller.stop();
  return cost;
}

async function costOf(pid: number, events: number, work: () => Promise<void>): Promise<Cost> {
  const before = cpuMs(pid);
  await work();
  return { usPerEvent: ((cpuMs(pid) - before) * 1000) / events, peakMb: rssMb(pid).peak };
}
