import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { cpus } from 'node:os';
import { Agent, request } from 'undici';
import { parse } from 'yaml';
import { profiles } from '../lib/profile.ts';
import { kindNames } from '../lib/run/kind.ts';
import { type Cluster, startCluster } from '../spec/cluster/cluster.ts';
import { createNamespace } from '../spec/cluster/requests.ts';
import type { SketchGiven } from './subjects/sketch.ts';
import { buildBundle, startController } from './support/controller.ts';
import { startHelper } from './support/helper.ts';
import { eventually, pause } from './support/pause.ts';
import { cpuMs } from './support/process-cost.ts';
import { quantile } from './support/statistics.ts';

/**
 * How long after a condition was written the sink holds its event, on a real kube-apiserver at a steady rate: by
 * turns of a sketch that watches, parses and posts, no more, and of the controller.
 *
 * The API server's own time is what a bare watch client in the same turn needs for the same write; latency is counted
 * from the moment that client had the line.
 */
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/** The rate that the budget is for, and one that leaves the cores idle: what differs is the wait for a core. */
const rates = [200, 50];
const secondsOfTurn = 20;
/** Before a turn is measured: compiles what is hot, and brings the subject to the present whatever it owed before. */
const warmUpSeconds = 5;
const turnsOfEach = 2;
const namespace = 'bench';
const { svc } = profiles;
const path = `/apis/${svc.apiGroup}/v1/namespaces/${namespace}/${kindNames.TaskRun.plural}`;

/** What one subject came to. */
interface Turn {
  /** When each write was answered, seen by the bare client, and received by the sink; ms by resourceVersion. */
  readonly answered: Map<string, number>;
  readonly watched: Map<string, number>;
  readonly received: Map<string, number>;
  /** Writes that the server did not take, as one that is overloaded may. */
  refused: number;
  /** CPU of the subject for each event, ms. */
  cpuMs: number;
  /** Share of all cores that nobody used. */
  idle: number;
}

const newTurn = (): Turn => ({
  ...{ answered: new Map(), watched: new Map(), received: new Map() },
  ...{ refused: 0, cpuMs: 0, idle: 0 },
});
let turn = newTurn();

const sink = createServer((incoming, response) => {
  const at = performance.now();
  incoming.resume().once('end', () => {
    turn.received.set(String(Number(String(incoming.headers['ce-sequence']).split('.')[0])), at);
    response.writeHead(204).end();
  });
});
sink.listen(0, '127.0.0.1');
await once(sink, 'listening');
const address = sink.address();
const sinkUrl = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/`;

/** What is measured, once it watches. */
interface Subject {
  readonly pid: number;
  stop(): Promise<void>;
}

buildBundle();
const cluster = await startCluster();
try {
  await measure(cluster);
} finally {
  await cluster.stop();
  sink.close();
}

async function measure(server: Cluster): Promise<void> {
  for (const name of [svc.configNamespace, namespace]) await createNamespace(server, name);
  const maps = `/api/v1/namespaces/${svc.configNamespace}/configmaps`;
  const write = writer(server);
  await write('POST', maps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'config-events' },
    data: { sink: sinkUrl },
  });
  const names = Array.from({ length: 50 }, (_, index) => `run-${index}`);
  for (const name of names)
    await write('POST', path, { apiVersion: `${svc.apiGroup}/v1`, kind: 'TaskRun', metadata: { name }, spec: {} });
  process.stderr.write('the cluster is up\n');
  const subjects = {
    sketch: () => startSketch(server),
    controller: () => startController({ url: server.url, kubeconfig: server.kubeconfigFile }),
  };
  for (const perSecond of Array.from({ length: turnsOfEach }, () => rates).flat()) {
    for (const [name, start] of Object.entries(subjects)) {
      const given: Writing = { names, perSecond, write };
      report(`${name}, ${perSecond}/s`, await turnOf(server, await start(), given));
    }
  }
}

async function startSketch(server: Cluster): Promise<Subject> {
  const given: SketchGiven = {
    ...{ url: server.url, path, sink: sinkUrl },
    ...{ caFile: server.caFile, token: tokenFor(server) },
  };
  return startHelper('subjects/sketch.ts', [JSON.stringify(given)]);
}

async function turnOf(server: Cluster, subject: Subject, writing: Writing): Promise<Turn> {
  turn = newTurn();
  await writeFor(warmUpSeconds, writing);
  // The events of a run come in order: nothing of before is owed once these have come.
  await untilReceived();
  turn = newTurn();
  const bare = bareWatch(server);
  await pause(1000);
  const [before, idleBefore] = [cpuMs(subject.pid), idleTimes()];
  await writeFor(secondsOfTurn, writing);
  await untilReceived();
  turn.cpuMs = (cpuMs(subject.pid) - before) / turn.answered.size;
  turn.idle = idleShare(idleBefore, idleTimes());
  bare.close();
  await subject.stop();
  return turn;
}

async function untilReceived(): Promise<void> {
  const { answered, received } = turn;
  const sinceMs = performance.now();
  const missing = () => [...answered.keys()].filter((version) => !received.has(version)).length;
  await eventually(async () => missing() === 0 || performance.now() - sinceMs > 20_000);
  if (missing() > 0) console.log(`expected ${answered.size} versions at the sink, ${missing()} are missing`);
}

/** Milliseconds of all cores since the machine started: idle, and of any kind. */
function idleTimes(): { readonly idle: number; readonly all: number } {
  const each = cpus().map(({ times }) => ({ idle: times.idle, all: Object.values(times).reduce((a, b) => a + b, 0) }));
  return each.reduce((sum, core) => ({ idle: sum.idle + core.idle, all: sum.all + core.all }), { idle: 0, all: 0 });
}

function idleShare(before: ReturnType<typeof idleTimes>, after: ReturnType<typeof idleTimes>): number {
  return (after.idle - before.idle) / (after.all - before.all);
}

interface Writing {
  readonly names: readonly string[];
  readonly perSecond: number;
  readonly write: Write;
}

type Write = (method: 'POST' | 'PATCH', path: string, body: object) => Promise<string>;

function writer(server: Cluster): Write {
  const dispatcher = dispatcherFor(server);
  const token = tokenFor(server);
  return async (method, at, body) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { authorization: `Bearer ${token}`, 'content-type': type };
    const answer = await request(server.url + at, { method, dispatcher, headers, body: JSON.stringify(body) });
    const { metadata } = (await answer.body.json()) as { readonly metadata: { readonly resourceVersion: string } };
    if (answer.statusCode > 299) throw new Error(`expected ${method} to be taken, got ${answer.statusCode}`);
    return metadata.resourceVersion;
  };
}

function tokenFor(server: Cluster): string {
  return parse(readFileSync(server.kubeconfigFile, 'utf8')).users[0].user.token;
}

function dispatcherFor(server: Cluster): Agent {
  return new Agent({ allowH2: false, connect: { ca: readFileSync(server.caFile, 'utf8') } });
}

/** Statuses written at a steady pace, each run in its turn, never waiting for the one before. */
async function writeFor(seconds: number, { names, perSecond, write }: Writing): Promise<void> {
  const count = seconds * perSecond;
  const startedMs = performance.now();
  const under: Promise<void>[] = [];
  for (let n = 0; n < count; n += 1) {
    const aheadMs = (n / perSecond) * 1000 - (performance.now() - startedMs);
    if (aheadMs > 1) await pause(aheadMs);
    const condition = {
      type: 'Succeeded',
      status: 'Unknown',
      reason: 'Running',
      message: `step ${n} of ${startedMs}`,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const written = write('PATCH', `${path}/${names[n % names.length]}/status`, {
      status: { conditions: [condition] },
    });
    const answered = (version: string) => void turn.answered.set(version, performance.now());
    const refused = () => {
      turn.refused += 1;
    };
    under.push(written.then(answered, refused));
  }
  await Promise.all(under);
}

function bareWatch(server: Cluster): { close(): void } {
  const { watched } = turn;
  const stop = new AbortController();
  void request(`${server.url}${path}?watch=true`, {
    dispatcher: dispatcherFor(server),
    headers: { authorization: `Bearer ${tokenFor(server)}` },
    signal: stop.signal,
    bodyTimeout: 0,
  })
    .then(async ({ body }) => {
      let rest = '';
      for await (const chunk of body) {
        const at = performance.now();
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) watched.set(JSON.parse(line).object.metadata.resourceVersion, at);
      }
    })
    .catch(() => {});
  return { close: () => stop.abort() };
}

function report(name: string, { answered, watched, received, refused, cpuMs: cpu, idle }: Turn): void {
  if (refused > 0) console.log(`${name}: ${refused} writes were refused by the API server`);
  const versions = [...answered.keys()].filter((version) => received.has(version) && watched.has(version));
  const between = (from: ReadonlyMap<string, number>, to: ReadonlyMap<string, number>) =>
    versions.map((version) => (to.get(version) ?? 0) - (from.get(version) ?? 0));
  const rows = [
    ['condition write answered to sink receipt', between(answered, received)],
    ['the same to a bare watch client', between(answered, watched)],
    ['bare watch client to sink receipt', between(watched, received)],
  ] as const;
  for (const [what, ms] of rows) {
    const [p50, p99] = [quantile(ms, 0.5), quantile(ms, 0.99)];
    console.log(`${name}: ${what}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms (${ms.length})`);
  }
  console.log(`${name}: CPU per delivered event, everything included: ${cpu.toFixed(2)} ms`);
  console.log(`${name}: the machine was idle for ${(idle * 100).toFixed(0)}% of the turn`);
}
