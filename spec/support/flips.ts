import { setInterval as ticks } from 'node:timers/promises';
import { request } from 'undici';
import { seededRandom } from '../../lib/sandbox/simulator/random.ts';
import { type Held, held, inspectable } from './inspected.ts';
import { startGrpcReceiver, startHttpReceiver } from './otlp-receiver.ts';
import { randomEdits } from './random-edits.ts';
import { lasting } from './run-on-server.ts';
import { linesOf } from './scrape.ts';
import { scrapeJudge } from './scrape-judge.ts';
import { startWorld, type World, writeMap } from './world.ts';

interface FlipsOptions {
  /** Edits of config maps. */
  readonly edits: number;
  /** Edits before what the process holds is first looked at. */
  readonly warmUpEdits: number;
  readonly editEveryMs: number;
  /** A run is created, running, finished and deleted this often: two condition writes. */
  readonly runEveryMs: number;
  readonly seed: number;
  /** How long former exporters may take before what the process holds is looked at for good. */
  readonly restMs: number;
}

export interface FlipsResult {
  readonly applied: number;
  readonly refused: number;
  /** Exporter switches: `metrics applied`, `traces refused` and so on. */
  readonly switches: readonly string[];
  readonly runs: number;
  /** Finished runs that `taskrun_total` counts at the end. */
  readonly counted: number;
  /** Different events that the sink was told; three a run. */
  readonly told: number;
  readonly scrapes: Readonly<Record<number, number>>;
  readonly faults: readonly string[];
  readonly before: Held;
  readonly after: Held;
}

/** A world in which settings are edited at random while runs change and everything is scraped. */
export interface Flips {
  run(options: FlipsOptions): Promise<FlipsResult>;
  /** Makes edits one by one while runs change; of each the ms from its write to the log line that it holds, ascending. */
  timeEdits(edits: number): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** Starts a controller that can be looked into, a receiver for each protocol, and nothing at two more endpoints. */
export async function startFlips(): Promise<Flips> {
  const world = await startWorld({ env: { ...inspectable, OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere/ca.pem' } });
  const receivers = [await startGrpcReceiver(), await startHttpReceiver()];
  const endpoints = [...receivers.map(({ endpoint }) => endpoint), '127.0.0.1:9', 'https://127.0.0.1:9'];
  return {
    run: (options) => flip(world, endpoints, options),
    timeEdits: (edits) => timed(world, edits),
    close: async () => {
      await world.close();
      await Promise.all(receivers.map((receiver) => receiver.close()));
    },
  };
}

async function flip(world: World, endpoints: readonly string[], options: FlipsOptions): Promise<FlipsResult> {
  const judge = scrapeJudge();
  const over = new AbortController();
  const scraping = scrapeAll(world, judge, over.signal);
  const targets = { endpoints, sinks: [world.sink.url, `${world.sink.url}/other`] };
  const edits = randomEdits(targets, seededRandom(options.seed));
  const warmUp = await stretch(world, edits, { ...options, edits: options.warmUpEdits });
  const before = await held(world.controller);
  const rest = await stretch(world, edits, options);
  const after = await atRest(world, before, options.restMs);
  over.abort();
  await scraping;
  const runs = warmUp + rest;
  const text = await world.scrape();
  return {
    applied: countLines(world, 'settings applied'),
    refused: countLines(world, 'settings refused, the last good ones stay'),
    switches: linesOf(text, 'exporter_switches_total'),
    runs,
    counted: countedIn(text),
    told: new Set(world.sink.received.map(({ headers }) => headers['ce-id'])).size,
    scrapes: judge.seen,
    faults: judge.faults,
    before,
    after,
  };
}

/** So many edits, with runs changing meanwhile; ends with the defaults in force and every run told and gone. */
async function stretch(
  world: World,
  edits: ReturnType<typeof randomEdits>,
  { edits: count, editEveryMs, runEveryMs }: FlipsOptions,
): Promise<number> {
  const over = new AbortController();
  const running = changeRuns(world, runEveryMs, over.signal);
  let left = count;
  for await (const _ of ticks(editEveryMs)) {
    const { map, data } = edits.next().value;
    await writeMap(world.server, world.namespace, map, data);
    left -= 1;
    if (left <= 0) break;
  }
  over.abort();
  const runs = await running;
  for (const map of ['config-defaults', 'feature-flags', 'config-observability'] as const)
    await world.configure(map, {});
  await world.configure('config-events', { sink: world.sink.url });
  await world.scrapeUntil((text) => countedIn(text) >= totalRuns(world) && /event_queue_length 0\n/.test(text));
  return runs;
}

/** Names of runs are numbered by world. */
const made = new WeakMap<World, number>();
const totalRuns = (world: World) => made.get(world) ?? 0;

async function timed(world: World, edits: number): Promise<readonly number[]> {
  const over = new AbortController();
  const running = changeRuns(world, 20, over.signal);
  const tookMs: number[] = [];
  for (let n = 0; n < edits; n += 1) {
    const startedMs = performance.now();
    await world.configure('config-observability', { 'metrics.taskrun.level': n % 2 === 0 ? 'namespace' : 'task' });
    tookMs.push(performance.now() - startedMs);
  }
  over.abort();
  await running;
  return tookMs.toSorted((a, b) => a - b);
}

async function changeRuns(world: World, everyMs: number, over: AbortSignal): Promise<number> {
  const lives: Promise<void>[] = [];
  for await (const _ of ticks(everyMs)) {
    if (over.aborted) break;
    made.set(world, totalRuns(world) + 1);
    lives.push(live(world, totalRuns(world)));
  }
  await Promise.all(lives);
  return lives.length;
}

/** What the process holds once former exporters have had their time to flush. */
async function atRest(world: World, before: Held, restMs: number): Promise<Held> {
  const giveUpAt = performance.now() + restMs;
  for (let now = await held(world.controller); ; now = await held(world.controller)) {
    if (leftHandles(before, now).length === 0 || performance.now() > giveUpAt) return now;
  }
}

/** Kinds of handles of which there are more than before, those under way for a moment left out. */
export function leftHandles(before: Held, after: Held): readonly string[] {
  return Object.entries(after.resources)
    .filter(([kind, count]) => !/^(Immediate|.*ReqWrap)$/.test(kind) && count > (before.resources[kind] ?? 0) + 2)
    .map(([kind, count]) => `${kind}: ${before.resources[kind] ?? 0}, then ${count}`);
}

async function live(world: World, index: number): Promise<void> {
  const run = await world.create('TaskRun', `flip-${index}`, { spec: { taskRef: { name: `task-${index % 7}` } } });
  await run.condition('Unknown/Running/');
  await run.condition(index % 3 === 0 ? 'False/Failed/' : 'True/Succeeded/', lasting(1 + (index % 100)));
  await run.remove();
}

async function scrapeAll(world: World, judge: ReturnType<typeof scrapeJudge>, over: AbortSignal): Promise<void> {
  for await (const _ of ticks(100)) {
    if (over.aborted) return;
    const { statusCode, body } = await request(world.metricsUrl, { headers: { accept: 'text/plain' } });
    judge.see(statusCode, await body.text());
  }
}

const countedIn = (text: string) =>
  linesOf(text, 'taskrun_total').reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);

const countLines = (world: World, said: string) => world.controller.lines.filter(({ msg }) => msg === said).length;
