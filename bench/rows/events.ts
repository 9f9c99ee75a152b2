import type { SketchGiven } from '../subjects/sketch.ts';
import { reached, startController } from '../support/controller.ts';
import { startHelper } from '../support/helper.ts';
import { eventually, pause } from '../support/pause.ts';
import { cpuMs, rssMb } from '../support/process-cost.ts';
import type { Row } from '../support/row.ts';
import { stages } from '../support/run-text.ts';
import { inWorld, type World } from '../support/world-client.ts';

const allStages = stages.keys().toArray();
/** Of a whole life: started, unknown, running, successful. */
const eventsPerRun = 4;

/** What a delivered event costs, everything included, and how both grow with the changes and with a slow sink. */
export const events: Row = {
  name: 'events',
  run: async ({ scale, repetitions }) => {
    const runs = 5_000 * scale;
    const [sketch, costs]: [number[], number[]] = [[], []];
    for (let n = 0; n < repetitions; n += 1) {
      sketch.push(await inWorld((world) => sketchMsPerEvent(world, runs)));
      costs.push(await inWorld((world) => msPerEvent(world, runs)));
    }
    const loads: Load[] = [];
    for (const perSecond of [50, 200, 500, 1000, 2000]) {
      loads.push(await inWorld((world) => loadAt(world, perSecond, 10 * Math.min(1, scale * 2))));
    }
    const delays = [0, 5, 20, 100];
    const rates: (readonly [number, number])[] = [];
    for (const delayMs of delays)
      rates.push([delayMs, await inWorld((world) => rateAt(world, delayMs, 3_000 * scale))]);
    return {
      lines: [
        {
          what: 'CPU per delivered event, everything included',
          unit: 'ms',
          floor: sketch,
          ours: costs,
          budget: { of: 'value', atMost: 0.3 },
          note: `floor: a sketch that watches, parses and posts, no more; ${runs} runs at once, each 10 versions, 4 events of 4.4 KB, their metrics and Kubernetes Events`,
        },
      ],
      curves: [
        {
          name: 'changes',
          title: 'CPU by changes',
          x: 'changes a second',
          y: '% of a core',
          series: [
            { name: 'watched, counted, delivered', points: loads.map(({ perSecond, cpu }) => [perSecond, cpu]) },
          ],
        },
        {
          name: 'changes-memory',
          title: 'Memory by changes',
          x: 'changes a second',
          y: 'MB',
          series: [{ name: 'RSS at its peak', points: loads.map(({ perSecond, peakMb }) => [perSecond, peakMb]) }],
        },
        {
          name: 'sink-latency',
          title: 'Events delivered, by how slow the sink is',
          x: 'ms to answer',
          y: 'events a second',
          series: [{ name: '64 in flight', points: rates }],
        },
      ],
    };
  },
};

interface Load {
  readonly perSecond: number;
  readonly cpu: number;
  readonly peakMb: number;
}

async function withSink(world: World) {
  await world.ask({ do: 'settings', map: 'config-events', data: { sink: `${world.url}/sink` } });
  const controller = await startController({ url: world.url, args: ['--leader-elect', 'false'] });
  await world.ask({ do: 'watched' });
  return controller;
}

const delivered = (world: World, count: number) =>
  eventually(async () => ((await world.ask({ do: 'posts' })).posts ?? 0) >= count);

async function msPerEvent(world: World, runs: number): Promise<number> {
  const controller = await withSink(world);
  const before = cpuMs(controller.pid);
  await world.ask({ do: 'stream', from: 0, runs, stages: allStages });
  await delivered(world, runs * eventsPerRun);
  const cost = (cpuMs(controller.pid) - before) / (runs * eventsPerRun);
  await reached(controller, 'taskrun_total', '', runs);
  await controller.stop();
  return cost;
}

async function sketchMsPerEvent(world: World, runs: number): Promise<number> {
  const given: SketchGiven = { url: world.url, path: '/apis/svc.dev/v1/taskruns', sink: `${world.url}/sink` };
  const sketch = await startHelper<object, { posted: number }>('subjects/sketch.ts', [JSON.stringify(given)]);
  const before = cpuMs(sketch.pid);
  await world.ask({ do: 'stream', from: 0, runs, stages: allStages });
  await delivered(world, runs * eventsPerRun);
  const cost = (cpuMs(sketch.pid) - before) / (runs * eventsPerRun);
  await sketch.stop();
  return cost;
}

async function loadAt(world: World, perSecond: number, seconds: number): Promise<Load> {
  const controller = await withSink(world);
  const runs = Math.ceil((perSecond * seconds) / stages.length);
  const [before, startedMs] = [cpuMs(controller.pid), performance.now()];
  await world.ask({ do: 'stream', from: 0, runs, stages: allStages, perSecond });
  await pause(100);
  const cpu = ((cpuMs(controller.pid) - before) / (performance.now() - startedMs)) * 100;
  const { peak: peakMb } = rssMb(controller.pid);
  await controller.stop();
  return { perSecond, cpu, peakMb };
}

async function rateAt(world: World, delayMs: number, runs: number): Promise<number> {
  await world.ask({ do: 'sink', delayMs });
  const controller = await withSink(world);
  const startedMs = performance.now();
  await world.ask({ do: 'stream', from: 0, runs, stages: allStages });
  await delivered(world, runs * eventsPerRun);
  const rate = (runs * eventsPerRun) / ((performance.now() - startedMs) / 1000);
  await controller.stop();
  return rate;
}
