import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
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
 * How long after a condition was written the sink holds its event, on a real kube-apiserver at 200 writes a second: by
 * turns of a sketch that watches, parses and posts, no more, and of the controller.
 *
 * The API server's own time is what a bare watch client in the same turn needs for the same write; latency is counted
 * from the moment that client had the line.
 */
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const perSecond = 200;
const writes = 4000;
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
}

const newTurn = (): Turn => ({ answered: new Map(), watched: new Map(), received: new Map(), refused: 0, cpuMs: 0 });
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
  for (let n = 0; n < turnsOfEach; n += 1) {
    for (const [name, start] of Object.entries(subjects)) {
      process.stderr.write(`${name}: ${writes} writes, ${perSecond} a second ...\n`);
      report(name, await turnOf(server, names, await start(), write));
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

async function turnOf(server: Cluster, names: readonly string[], subject: Subject, write: Write): Promise<Turn> {
  turn = newTurn();
  const { answered, received } = turn;
  const bare = bareWatch(server);
  await pause(1000);
  received.clear();
  const before = cpuMs(subject.pid);
  await writeAll(names, write);
  const sinceMs = performance.now();
  const missing = () => [...answered.keys()].filter((version) => !received.has(version)).length;
  await eventually(async () => missing() === 0 || performance.now() - sinceMs > 20_000);
  if (missing() > 0) console.log(`expected ${answered.size} versions at the sink, ${missing()} are missing`);
  turn.cpuMs = (cpuMs(subject.pid) - before) / answered.size;
  bare.close();
  await subject.stop();
  return turn;
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

/** One status written every 5 ms, each run in its turn, never waiting for the one before. */
async function writeAll(names: readonly string[], write: Write): Promise<void> {
  const startedMs = performance.now();
  const under: Promise<void>[] = [];
  for (let n = 0; n < writes; n += 1) {
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

function report(name: string, { answered, watched, received, refused, cpuMs: cpu }: Turn): void {
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
}
