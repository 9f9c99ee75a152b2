import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, of, Subject, takeWhile, tap } from 'rxjs';
import type { OutgoingEvent } from '../lib/events/outgoing.ts';
import { openOutbox } from '../lib/io/outbox/open-outbox.ts';
import { createSink } from '../lib/io/sink/create-sink.ts';
import { silentLog } from '../lib/log.ts';
import { noMeasure } from '../lib/metrics/own.ts';
import type { Outbox } from '../lib/outbox/outbox.ts';
import { deliver } from '../streams/pipelines/deliver.ts';
import { runText } from './support/run-text.ts';
import { median } from './support/statistics.ts';
import { inWorld } from './support/world-client.ts';

/**
 * What a data dir costs: events a second from the queue to the sink, with one and without, by turns.
 *
 * `flow` gives an event for each that is taken, as when the sink keeps up: few ever need the disk. `backlog` gives
 * all at once, as after an outage: what the sink does not take within ten seconds is written and removed again. Usage: node bench/outbox.ts [EVENTS] [ROUNDS]
 */
const [count = 5000, rounds = 7] = process.argv.slice(2).map(Number);
const waiting = { flow: 64, backlog: Number.POSITIVE_INFINITY };
const body = new TextEncoder().encode(`{"taskRun":${runText(1, 7, 12345)}}`);
const sink = createSink({ measure: noMeasure });
let made = 0;

function event(): OutgoingEvent {
  made += 1;
  const name = `build-${made}`;
  return {
    id: `6f0d1a8a-3e2b-5c4d-9f00-${String(made).padStart(12, '0')}`,
    type: 'dev.svc.event.taskrun.running.v1',
    word: 'running',
    source: `/apis/svc.dev/v1/namespaces/team-1/taskruns/${name}`,
    subject: name,
    timeMs: 0,
    sequence: `${String(made).padStart(20, '0')}.0`,
    synthesized: false,
    traceparent: undefined,
    kind: 'TaskRun',
    namespace: 'team-1',
    name,
    uid: `uid-${made}`,
    resourceVersion: String(made),
    body: body.slice(),
  };
}

interface Round {
  readonly perSecond: number;
  /** CPU of the whole process, its worker included, in us an event: other work on the machine changes it least. */
  readonly us: number;
}

async function round(url: string, mostWaiting: number, outbox: Outbox | undefined): Promise<Round> {
  const event$ = new Subject<readonly OutgoingEvent[]>();
  const sink$ = of({ state: 'sink', url } as const);
  const { note$ } = deliver({ event$, sink$, post: sink.post, measure: noMeasure, log: silentLog });
  let [given, taken] = [0, 0];
  const feed = () => {
    const some: OutgoingEvent[] = [];
    for (; given < count && given - taken < mostWaiting; given += 1) some.push(event());
    if (some.length === 0) return;
    outbox?.put('taskruns', some);
    event$.next(some);
  };
  const startedMs = performance.now();
  const before = process.cpuUsage();
  const done = lastValueFrom(
    note$.pipe(
      tap(({ event: one }) => {
        outbox?.settle(one);
        taken += 1;
        feed();
      }),
      takeWhile(() => taken < count),
    ),
    { defaultValue: undefined },
  );
  feed();
  await done;
  const perSecond = count / ((performance.now() - startedMs) / 1000);
  await outbox?.flush();
  const { user, system } = process.cpuUsage(before);
  return { perSecond, us: (user + system) / count };
}

await inWorld(async (world) => {
  const url = `${world.url}/sink`;
  const dir = mkdtempSync(join(tmpdir(), 'bench-outbox-'));
  const outbox = await openOutbox({ dir, log: silentLog, measure: noMeasure, now: Date.now });
  for (const [what, most] of Object.entries(waiting)) {
    const [without, with_]: [Round[], Round[]] = [[], []];
    for (let n = 0; n <= rounds; n += 1) {
      const pair = [await round(url, most, undefined), await round(url, most, outbox)] as const;
      // The first of each is for the compiler.
      if (n === 0) continue;
      without.push(pair[0]);
      with_.push(pair[1]);
    }
    const of = (field: keyof Round) => {
      const [a, b] = [without, with_].map((some) => some.map((one) => one[field]));
      const ratio = median((b ?? []).map((one, index) => one / (a?.[index] ?? Number.NaN)));
      return `${Math.round(median(a ?? []))}, with a data dir ${Math.round(median(b ?? []))}, ratio ${ratio.toFixed(2)}`;
    };
    console.log(`${what}: events a second without ${of('perSecond')}; CPU in us an event without ${of('us')}`);
  }
  await outbox.close();
  await sink.close();
  rmSync(dir, { recursive: true });
});
