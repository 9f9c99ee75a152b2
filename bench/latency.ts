import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Agent, request } from 'undici';
import { parse } from 'yaml';
import { profiles } from '../lib/profile.ts';
import { kindNames } from '../lib/run/kind.ts';
import { type Cluster, startCluster } from '../spec/cluster/cluster.ts';
import { createNamespace } from '../spec/cluster/requests.ts';
import { buildBundle, startController } from './support/controller.ts';
import { eventually, pause } from './support/pause.ts';
import { cpuMs } from './support/process-cost.ts';
import { quantile } from './support/statistics.ts';

/**
 * How long after a condition was written the sink holds its event, on a real kube-apiserver at 200 writes a second.
 *
 * The API server's own time is what a bare watch client in the same run needs for the same write; latency is counted
 * from the moment that client had the line.
 */
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const perSecond = 200;
const writes = 4000;
const namespace = 'bench';
const { svc } = profiles;
const path = `/apis/${svc.apiGroup}/v1/namespaces/${namespace}/${kindNames.TaskRun.plural}`;

/** When each write was answered, seen by the bare client, and received by the sink; ms by resourceVersion. */
const answered = new Map<string, number>();
const watched = new Map<string, number>();
const received = new Map<string, number>();

const sink = createServer((incoming, response) => {
  const at = performance.now();
  incoming.resume().once('end', () => {
    received.set(String(Number(String(incoming.headers['ce-sequence']).split('.')[0])), at);
    response.writeHead(204).end();
  });
});
sink.listen(0, '127.0.0.1');
await once(sink, 'listening');
const address = sink.address();
const sinkUrl = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/`;

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
  const controller = await startController({ url: server.url, kubeconfig: server.kubeconfigFile });
  const bare = bareWatch(server);
  await pause(1000);
  process.stderr.write(`${writes} writes, ${perSecond} a second ...\n`);
  const before = cpuMs(controller.pid);
  await writeAll(names, write);
  process.stderr.write('written\n');
  const sinceMs = performance.now();
  await eventually(async () => received.size >= writes || performance.now() - sinceMs > 20_000);
  if (received.size < writes) console.log(`expected ${writes} versions at the sink, got ${received.size}`);
  const cpu = (cpuMs(controller.pid) - before) / writes;
  bare.close();
  await controller.stop();
  report(cpu);
}

type Write = (method: 'POST' | 'PATCH', path: string, body: object) => Promise<string>;

function writer(server: Cluster): Write {
  const { token, dispatcher } = access(server);
  return async (method, at, body) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { authorization: `Bearer ${token}`, 'content-type': type };
    const answer = await request(server.url + at, { method, dispatcher, headers, body: JSON.stringify(body) });
    const { metadata } = (await answer.body.json()) as { readonly metadata: { readonly resourceVersion: string } };
    if (answer.statusCode > 299) throw new Error(`expected ${method} to be taken, got ${answer.statusCode}`);
    return metadata.resourceVersion;
  };
}

function access(server: Cluster): { readonly token: string; readonly dispatcher: Agent } {
  const { users } = parse(readFileSync(server.kubeconfigFile, 'utf8'));
  const { token } = users[0].user;
  return { token, dispatcher: new Agent({ allowH2: false, connect: { ca: readFileSync(server.caFile, 'utf8') } }) };
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
      message: `step ${n}`,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const written = write('PATCH', `${path}/${names[n % names.length]}/status`, {
      status: { conditions: [condition] },
    });
    under.push(written.then((version) => void answered.set(version, performance.now())));
  }
  await Promise.all(under);
}

function bareWatch(server: Cluster): { close(): void } {
  const { token, dispatcher } = access(server);
  const stop = new AbortController();
  void request(`${server.url}${path}?watch=true`, {
    dispatcher,
    headers: { authorization: `Bearer ${token}` },
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

function report(cpu: number): void {
  const versions = [...answered.keys()].filter((version) => received.has(version) && watched.has(version));
  const between = (from: ReadonlyMap<string, number>, to: ReadonlyMap<string, number>) =>
    versions.map((version) => (to.get(version) ?? 0) - (from.get(version) ?? 0));
  const rows = [
    ['condition write answered to sink receipt', between(answered, received)],
    ['the same to a bare watch client', between(answered, watched)],
    ['bare watch client to sink receipt', between(watched, received)],
  ] as const;
  for (const [what, ms] of rows) {
    console.log(
      `${what}: p50 ${quantile(ms, 0.5).toFixed(2)} ms, p99 ${quantile(ms, 0.99).toFixed(2)} ms (${ms.length})`,
    );
  }
  console.log(`CPU per delivered event, everything included: ${cpu.toFixed(2)} ms`);
}
