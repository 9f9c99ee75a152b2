import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { connectionWith } from './connection-with.ts';
import type { KubeConnection } from './kube-connection.ts';
import { mustRead } from './must-read.ts';
import { readKubeconfig } from './read-kubeconfig.ts';

interface Options {
  /** A kubeconfig file; without it the pod's service account, else the files that KUBECONFIG lists. */
  readonly file?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since the epoch; default Date.now. */
  readonly now?: () => number;
  /** Where a pod finds its token; default the path that Kubernetes mounts it at. */
  readonly serviceAccountDir?: string;
}

const mountedAt = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Where the API server is and how it knows us.
 *
 * Rejects with an Error of one sentence when there is no configuration, or one that names what is not there.
 */
export async function loadKubeConfig(options: Options): Promise<KubeConnection> {
  const { file, env, now = Date.now, serviceAccountDir = mountedAt } = options;
  if (file !== undefined) return connectionWith(await readKubeconfig([file]), now);
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port, KUBECONFIG = '' } = env;
  if (host !== undefined && port !== undefined) return inCluster(host, port, serviceAccountDir, now);
  const files = KUBECONFIG.split(delimiter).filter((listed) => listed !== '');
  if (files.length > 0) return connectionWith(await readKubeconfig(files), now);
  throw new Error('no API server: expected --kubeconfig, a pod of a cluster, or KUBECONFIG, got none of them');
}

function inCluster(host: string, port: string, directory: string, now: () => number): Promise<KubeConnection> {
  const [caFile, tokenFile] = [join(directory, 'ca.crt'), join(directory, 'token')];
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  mustRead(caFile, 'service account: CA');
  mustRead(tokenFile, 'service account: token');
  const cluster = { name: 'in-cluster', server, caFile, skipTLSVerify: false };
  const user = { name: 'service-account' };
  return connectionWith({ cluster, user, tokenFile, namespace: ownNamespace(directory) }, now);
}

function ownNamespace(directory: string): string | undefined {
  try {
    return readFileSync(join(directory, 'namespace'), 'utf8').trim();
  } catch {
    return undefined;
  }
}
