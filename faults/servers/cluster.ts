import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Json, jsonAt, textAt } from '../../lib/sandbox/api/stored-object.ts';
import type { Cluster } from '../../spec/cluster/cluster.ts';
import { kubeconfig } from '../../spec/cluster/kubeconfig.ts';
import { type ServerUnderTest, serverUnderTest } from '../../spec/support/server-under-test.ts';
import type { FaultServer } from './fault-server.ts';
import { startProxy } from './proxy.ts';
import { startSpy } from './spy.ts';

/** A real kube-apiserver as a server that fails on demand; the controller's connections go through a proxy. */
export async function faultCluster(cluster: Cluster): Promise<FaultServer> {
  Object.assign(process.env, { SPEC_KUBECONFIG: cluster.kubeconfigFile, SPEC_ETCD_URL: cluster.etcdUrl });
  const server = await serverUnderTest();
  const proxy = await startProxy(Number(new URL(cluster.url).port));
  const kubeconfigFile = join(cluster.dir, 'kubeconfig-faults');
  const token = await cluster.tokenFor({ namespace: 'default', name: 'faults' });
  await grantAll(server);
  const address = { server: `https://127.0.0.1:${proxy.port}`, caFile: cluster.caFile, token };
  const spiedKubeconfigFile = join(cluster.dir, 'kubeconfig-faults-spied');
  const spy = await startSpy({ url: cluster.url, ca: readFileSync(cluster.caFile, 'utf8') });
  writeFileSync(kubeconfigFile, kubeconfig(address), { mode: 0o600 });
  writeFileSync(spiedKubeconfigFile, kubeconfig({ ...address, server: spy.url }), { mode: 0o600 });
  return {
    name: 'cluster',
    versions: await versionsOf(cluster, server),
    kubeconfigFile,
    spiedKubeconfigFile,
    spy,
    freshNamespace: server.freshNamespace,
    ...writesTo(server),
    down: () => cluster.stopApiServer('SIGKILL'),
    up: () => cluster.startApiServer(),
    cut: () => proxy.cut(),
    compact: server.compact,
    restartStorage: () => cluster.restartEtcd('SIGKILL'),
    close: async () => {
      await Promise.all([proxy.close(), spy.close()]);
      await server.close();
    },
  };
}

async function versionsOf({ etcdUrl }: Cluster, { request }: ServerUnderTest): Promise<readonly string[]> {
  const { json } = await request('GET', '/version');
  const etcd = (await (await fetch(new URL('/version', etcdUrl))).json()) as Json;
  return [`kube-apiserver ${json.gitVersion}`, `etcd ${etcd.etcdserver}`];
}

async function grantAll({ request }: ServerUnderTest): Promise<void> {
  const body = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'faults' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'faults', namespace: 'default' }],
  };
  await request('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', { body });
}

type Writes = Pick<FaultServer, 'create' | 'writeStatus' | 'remove' | 'writeMap' | 'removeMap'>;

function writesTo(server: ServerUnderTest): Writes {
  const maps = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;
  const there = async (path: string) => {
    const { status, json } = await patiently(() => server.request('GET', path));
    return status === 200 ? json : undefined;
  };
  return {
    create: (collection, body) =>
      untilDone(
        () => server.request('POST', collection, { body }),
        () => there(`${collection}/${textAt(body.metadata, 'name')}`),
      ),
    writeStatus: (collection, object, status) => {
      const path = `${collection}/${textAt(object.metadata, 'name')}`;
      return untilDone(
        () => server.request('PUT', `${path}/status`, { body: { ...object, status } }),
        async () => {
          const now = await there(path);
          return now && JSON.stringify(now.status) === JSON.stringify(status) ? now : undefined;
        },
      );
    },
    remove: async (collection, name) => void (await patiently(() => server.request('DELETE', `${collection}/${name}`))),
    writeMap: async (namespace, name, data) => {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
      const put = await patiently(() => server.request('PUT', `${maps(namespace)}/${name}`, { body }));
      if (put.status === 404) await patiently(() => server.request('POST', maps(namespace), { body }));
    },
    removeMap: async (namespace, name) =>
      void (await patiently(() => server.request('DELETE', `${maps(namespace)}/${name}`))),
  };
}

type Ask = () => ReturnType<ServerUnderTest['request']>;

/** Writes until it is certain to have been written: an answer that was lost says nothing, so `done` looks. */
async function untilDone(write: Ask, done: () => Promise<Json | undefined>): Promise<Json> {
  for (let attempt = 0; ; attempt += 1) {
    const answer = await write().catch(() => undefined);
    if (answer !== undefined && answer.status < 300) return answer.json;
    await wait(100);
    const found = await done();
    if (found !== undefined) return found;
    if (attempt > 600) throw new Error(`expected a write to be taken, got ${JSON.stringify(jsonAt(answer, 'json'))}`);
  }
}

/** Asks until there is an answer that is none of an outage. */
async function patiently(ask: Ask): ReturnType<ServerUnderTest['request']> {
  for (;;) {
    const answer = await ask().catch(() => undefined);
    if (answer !== undefined && answer.status < 429) return answer;
    await wait(100);
  }
}
