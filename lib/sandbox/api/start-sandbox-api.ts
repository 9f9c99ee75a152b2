import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { discoveryDocuments } from './discovery.ts';
import { expireEvents } from './expire-events.ts';
import { frontDoor } from './front-door.ts';
import { Registry } from './registry.ts';
import type { SandboxApi, SandboxApiOptions } from './sandbox-api.ts';
import { defaultRunVersions, servedTypes } from './served-types.ts';
import { type StoreAccess, storeAccess } from './store-access.ts';
import { VersionedStore } from './versioned-store.ts';
import { Watches } from './watches.ts';

interface Parts {
  readonly store: VersionedStore;
  readonly watches: Watches;
  readonly server: Server;
  readonly access: StoreAccess;
}

/**
 * A Kubernetes API server in memory, already listening: namespaces, config maps, events, leases and the profile's
 * runs, to be watched by kubectl and by this controller.
 *
 * It is held to what a kube-apiserver does by spec/api, which runs against both. No TLS, no authorization, no
 * admission but for namespaces, no garbage collection by owner references. Rejects when the port cannot be had.
 */
export async function startSandboxApi(options: SandboxApiOptions): Promise<SandboxApi> {
  const { profile, host = '127.0.0.1', nowMs = Date.now, eventTtlMs = 3_600_000 } = options;
  const { historyLimit = 20_000, historyAgeMs = 600_000, objectLimit = 200_000 } = options;
  const { watchLimit = 1000, bookmarkIntervalMs = 60_000, token, intercept } = options;
  const store = new VersionedStore({ historyLimit, historyAgeMs, nowMs });
  const types = servedTypes(profile, { ...defaultRunVersions, ...options.versions });
  const registry = new Registry({ store, nowMs, objectLimit });
  const watches = new Watches({ store, watchLimit, bookmarkIntervalMs, nowMs });
  const access = storeAccess({ store, registry, types });
  for (const name of ['default', profile.configNamespace, ...(options.namespaces ?? [])]) {
    access.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  const documents = discoveryDocuments(types);
  const server = createServer(frontDoor({ store, registry, watches, types, nowMs, documents, token, intercept }));
  const port = await listen(server, options.port ?? 0, host);
  const expiry = setInterval(() => expireEvents(access, eventTtlMs, nowMs()), Math.min(60_000, eventTtlMs));
  server.once('close', () => clearInterval(expiry));
  return sandboxApi({ store, watches, server, access }, { url: `http://${host}:${port}`, port, types });
}

function sandboxApi(
  { store, watches, server, access }: Parts,
  address: Pick<SandboxApi, 'url' | 'port' | 'types'>,
): SandboxApi {
  return {
    ...access,
    ...address,
    get revision() {
      return store.revision;
    },
    get watchCount() {
      return watches.count;
    },
    compact: (revision) => store.compact(revision),
    closeWatches: (how = 'end') => watches.closeAll(how),
    close: async () => {
      watches.close();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
