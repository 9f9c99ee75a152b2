import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Profile, profiles } from '../../lib/profile.ts';
import { type ApiClient, apiClient } from './api-client.ts';
import { freePorts } from './free-ports.ts';
import { kubeconfig } from './kubeconfig.ts';
import { createCrds, isReady, listsRuns, requestToken, type ServiceAccount } from './requests.ts';
import { etcd, kubeApiServer, type Layout, prepare } from './servers.ts';
import { type Supervisor, supervisor } from './supervisor.ts';
import { until } from './until.ts';

/** A real Kubernetes API on loopback: one etcd, one kube-apiserver, the three kinds of run, and nobody to run them. */
export interface Cluster {
  /** `https://127.0.0.1:<port>`; the same after a restart. */
  readonly url: string;
  /** Client URL of etcd, with its JSON gateway: `POST /v3/kv/compaction` and the like. */
  readonly etcdUrl: string;
  /** A temporary folder; specs may put files there, gone with the cluster. */
  readonly dir: string;
  /** File with the certificate chain of the API server. */
  readonly caFile: string;
  /** A kubeconfig file that may do everything. */
  readonly kubeconfigFile: string;
  /** Asks the API server, as administrator unless a token is given. */
  readonly ask: ApiClient['ask'];
  /** Writes a kubeconfig file for a token and returns its path. */
  kubeconfigFor(token: string): string;
  /** A token of a service account, valid for an hour; the account is made where it is missing. */
  tokenFor(serviceAccount: ServiceAccount): Promise<string>;
  /** Ends the API server, for specs of an outage; they start it again. */
  stopApiServer(signal?: NodeJS.Signals): Promise<void>;
  /** Settles when the API server answers and lists runs. */
  startApiServer(): Promise<void>;
  /** Stop and start, at the same address. */
  restartApiServer(signal?: NodeJS.Signals): Promise<void>;
  /** Restarts the storage under the running API server; settles when runs are listed again. */
  restartEtcd(signal?: NodeJS.Signals): Promise<void>;
  /** Starts the API server over with a certificate of another making; `caFile` has the new one. */
  swapCertificate(): Promise<void>;
  /** Keeps the storage as it is now; what it returns puts it back, both servers started over, as a restore does. */
  saveStorage(): Promise<() => Promise<void>>;
  /** Ends both servers and removes `dir`. What is not stopped ends with this process, however it ends. */
  stop(): Promise<void>;
}

/**
 * Starts a cluster, about six seconds; rejects with a server's last log lines when it does not come up.
 *
 * `npm run test:cluster` builds the binaries first. `profile` says whose API group the runs are of.
 */
export async function startCluster(profile: Profile = profiles.svc): Promise<Cluster> {
  const dir = mkdtempSync(join(tmpdir(), 'spec-cluster-'));
  const servers = supervisor(dir);
  try {
    const layout = prepare(dir, await freePorts(3));
    const client = apiClient({ url: layout.url, caFile: layout.caFile, token: layout.adminToken });
    const cluster = assemble({ layout, servers, client, profile });
    await servers.start(etcd(layout), () => isHealthy(layout.etcdUrl));
    await servers.start(kubeApiServer(layout), () => isReady(client));
    await createCrds(client, profile);
    await untilRunsAreListed(client, profile);
    return cluster;
  } catch (error) {
    await servers.end();
    throw error;
  }
}

interface Parts {
  readonly layout: Layout;
  readonly servers: Supervisor;
  readonly client: ApiClient;
  readonly profile: Profile;
}

function assemble({ layout, servers, client, profile }: Parts): Cluster {
  const kubeconfigFor = kubeconfigWriter(layout);
  const stopApiServer = (signal?: NodeJS.Signals) => servers.stop('kube-apiserver', signal);
  const startEtcd = () => servers.start(etcd(layout), () => isHealthy(layout.etcdUrl));
  async function startApiServer(): Promise<void> {
    await servers.start(kubeApiServer(layout), () => isReady(client));
    await untilRunsAreListed(client, profile);
  }
  return {
    url: layout.url,
    etcdUrl: layout.etcdUrl,
    dir: layout.dir,
    caFile: layout.caFile,
    kubeconfigFile: kubeconfigFor(layout.adminToken),
    ask: client.ask,
    kubeconfigFor,
    tokenFor: (serviceAccount) => requestToken(client, serviceAccount),
    stopApiServer,
    startApiServer,
    async restartApiServer(signal) {
      await stopApiServer(signal);
      await startApiServer();
    },
    async restartEtcd(signal) {
      await servers.stop('etcd', signal);
      await startEtcd();
      await untilRunsAreListed(client, profile);
    },
    async swapCertificate() {
      // Asked nicely it waits a minute for the watches that are open.
      await stopApiServer('SIGKILL');
      rmSync(dirname(layout.caFile), { recursive: true });
      await client.close();
      await startApiServer();
    },
    async saveStorage() {
      const [data, saved] = [join(layout.dir, 'etcd'), join(layout.dir, 'etcd-saved')];
      const replaceWhileDown = async (from: string, to: string) => {
        await stopApiServer('SIGKILL');
        await servers.stop('etcd');
        rmSync(to, { recursive: true, force: true });
        cpSync(from, to, { recursive: true });
        await startEtcd();
        await startApiServer();
      };
      await replaceWhileDown(data, saved);
      return () => replaceWhileDown(saved, data);
    },
    async stop() {
      await client.close();
      await servers.end();
    },
  };
}

function untilRunsAreListed(client: ApiClient, profile: Profile): Promise<void> {
  return until(() => listsRuns(client, profile), { what: 'the API server to list every kind of run' });
}

async function isHealthy(etcdUrl: string): Promise<boolean> {
  const { ok } = await fetch(`${etcdUrl}/health`);
  return ok;
}

/** Writes `kubeconfig-1`, `kubeconfig-2` and so on, readable by us alone. */
function kubeconfigWriter({ dir, url, caFile }: Layout): (token: string) => string {
  let written = 0;
  return (token) => {
    written += 1;
    const file = join(dir, `kubeconfig-${written}`);
    writeFileSync(file, kubeconfig({ server: url, caFile, token }), { mode: 0o600 });
    return file;
  };
}
