import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { profiles } from '../../lib/profile.ts';
import type { SandboxApi } from '../../lib/sandbox/api/sandbox-api.ts';
import { startSandboxApi } from '../../lib/sandbox/api/start-sandbox-api.ts';
import { type Json, textAt } from '../../lib/sandbox/api/stored-object.ts';
import type { FaultServer } from './fault-server.ts';
import { startSpy } from './spy.ts';

/** The sandbox as a server that fails on demand. Its writes go around the front door: they work through an outage. */
export async function startSandbox(): Promise<FaultServer> {
  let isDown = false;
  const api = await startSandboxApi({
    profile: profiles.svc,
    bookmarkIntervalMs: 5_000,
    historyLimit: 100_000,
    intercept: () => (isDown ? 'reset' : 'pass'),
  });
  const dir = mkdtempSync(join(tmpdir(), 'faults-sandbox-'));
  const kubeconfigFile = join(dir, 'kubeconfig');
  const spiedKubeconfigFile = join(dir, 'kubeconfig-spied');
  const spy = await startSpy({ url: api.url });
  writeFileSync(kubeconfigFile, kubeconfigText(api.url), { mode: 0o600 });
  writeFileSync(spiedKubeconfigFile, kubeconfigText(spy.url), { mode: 0o600 });
  let namespaces = 0;
  return {
    name: 'sandbox',
    versions: [],
    kubeconfigFile,
    spiedKubeconfigFile,
    spy,
    freshNamespace: async () => {
      namespaces += 1;
      const name = `faults-${namespaces}`;
      api.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      return name;
    },
    ...writesTo(api),
    down: async () => {
      isDown = true;
      api.closeWatches('cut');
    },
    up: async () => {
      isDown = false;
    },
    cut: () => api.closeWatches('cut'),
    compact: async () => api.compact(),
    restartStorage: undefined,
    close: async () => {
      await spy.close();
      await api.close();
      rmSync(dir, { recursive: true });
    },
  };
}

type Writes = Pick<FaultServer, 'create' | 'writeStatus' | 'remove' | 'writeMap' | 'removeMap'>;

function writesTo(api: SandboxApi): Writes {
  return {
    create: async (_, object) => api.apply(object),
    writeStatus: async (collection, object, status) => {
      const { namespace, plural } = placeOf(collection);
      return api.patch(plural, namespace, textAt(object.metadata, 'name'), { status });
    },
    remove: async (collection, name) => {
      const { namespace, plural } = placeOf(collection);
      api.remove(plural, namespace, name);
    },
    writeMap: async (namespace, name, data) => {
      api.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data });
    },
    removeMap: async (namespace, name) => api.remove('configmaps', namespace, name),
  };
}

function placeOf(collection: string): { readonly namespace: string; readonly plural: string } {
  const [plural = '', namespace = ''] = collection
    .split('/')
    .toReversed()
    .filter((part) => part !== '');
  return { plural, namespace };
}

function kubeconfigText(server: string): string {
  const name = 'faults';
  const config: Json = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [{ name, cluster: { server } }],
    users: [{ name, user: {} }],
  };
  return JSON.stringify(config);
}
