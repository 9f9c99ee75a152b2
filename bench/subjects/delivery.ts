import { Agent } from 'undici';
import type { OutgoingEvent } from '../../lib/events/outgoing.ts';
import { createSink } from '../../lib/io/sink/create-sink.ts';
import { runText } from '../support/run-text.ts';

/** Events a second of one process, bare requests and ours by turns, and the CPU of each, us. */
export interface Deliveries {
  readonly floorPerSecond: readonly number[];
  readonly oursPerSecond: readonly number[];
  readonly floorUs: readonly number[];
  readonly oursUs: readonly number[];
}

interface Round {
  readonly perSecond: number;
  readonly us: number;
}

const [url = ''] = process.argv.slice(2);
const { origin, pathname } = new URL(url);
const inFlight = 64;
const body = Buffer.from(`{"taskRun":${runText(1, 7, 12345)}}`);
const nothing = () => {};
const never = new AbortController().signal;
const agent = new Agent({ connections: inFlight, allowH2: false });
const sink = createSink({ measure: { count: nothing, set: nothing, observe: nothing }, maxConnections: inFlight });

async function bare(): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await agent.request({ origin, path: pathname, method: 'POST', headers, body });
  await answer.body.dump();
  if (answer.statusCode !== 204) throw new Error(`expected 204, got ${answer.statusCode}`);
}

const event: OutgoingEvent = {
  id: '6f0d1a8a-3e2b-5c4d-9f00-000000000001',
  type: 'dev.svc.event.taskrun.running.v1',
  word: 'running',
  source: '/apis/svc.dev/v1/namespaces/team-1/taskruns/build-run-1',
  subject: 'build-run-1',
  timeMs: Date.parse('2026-01-01T00:00:05Z'),
  sequence: '00000000000000012345.0',
  synthesized: false,
  traceparent: undefined,
  kind: 'TaskRun',
  namespace: 'team-1',
  name: 'build-run-1',
  uid: 'u1',
  resourceVersion: '12345',
  body,
};

async function whole(): Promise<void> {
  const { outcome } = await sink.post(event, url, never);
  if (outcome !== 'delivered') throw new Error(`expected delivered, got ${outcome}`);
}

async function round(one: () => Promise<void>, count: number): Promise<Round> {
  let left = count;
  const worker = async () => {
    for (; left > 0; left -= 1) await one();
  };
  const startedMs = performance.now();
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: inFlight }, worker));
  const { user, system } = process.cpuUsage(before);
  return { perSecond: count / ((performance.now() - startedMs) / 1000), us: (user + system) / count };
}

process.on(
  'message',
  async ({
    id,
    asked,
  }: {
    readonly id: number;
    readonly asked: { readonly count: number; readonly rounds: number };
  }) => {
    const floor: Round[] = [];
    const ours: Round[] = [];
    for (let n = 0; n < asked.rounds + 1; n += 1) {
      const [theirs, mine] = [await round(bare, asked.count), await round(whole, asked.count)];
      if (n === 0) continue;
      floor.push(theirs);
      ours.push(mine);
    }
    const told: Deliveries = {
      floorPerSecond: floor.map(({ perSecond }) => perSecond),
      oursPerSecond: ours.map(({ perSecond }) => perSecond),
      floorUs: floor.map(({ us }) => us),
      oursUs: ours.map(({ us }) => us),
    };
    process.send?.({ id, told });
  },
);
process.on('disconnect', () => process.exit(0));
process.send?.({ id: 0, told: {} });
