import type { RunOptions } from '../../config/process/run-options.ts';
import { createKubeApi } from '../../lib/io/kube/kube-api.ts';
import { loadKubeConfig } from '../../lib/io/kube/load-kube-config.ts';
import { version } from '../../lib/io/version.ts';
import { configMapType, type KubeApi, KubeError, leaseType, type ResourceType } from '../../lib/kube/api.ts';
import { noMeasure } from '../../lib/metrics/own.ts';

interface Terminal {
  readonly print: (line: string) => void;
  readonly complain: (line: string) => void;
}

/**
 * Deletes what a controller leaves in the cluster, its Lease and its last good settings; the exit code.
 *
 * 0 when they are gone, whoever deleted them; 1 when one could not be deleted; 2 when there is no cluster.
 */
export async function cleanup(options: RunOptions, { print, complain }: Terminal): Promise<number> {
  const { profile, cluster } = options;
  if (cluster.type === 'sandbox') {
    print('the sandbox keeps nothing');
    return 0;
  }
  try {
    const file = cluster.type === 'kubeconfig' ? cluster.file : undefined;
    const connection = await loadKubeConfig({ file, env: process.env });
    const userAgent = `${profile.component}/${version}`;
    const api = createKubeApi({ connection, measure: noMeasure, onLatency: () => {}, userAgent });
    const gone = await Promise.all(leftovers(options).map((one) => remove(api, one, { print, complain })));
    await api.close();
    return gone.every((one) => one) ? 0 : 1;
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
    return 2;
  }
}

interface Leftover {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
}

function leftovers({ profile, configNamespace, leaseNamespace, leaseName }: RunOptions): readonly Leftover[] {
  return [
    { type: leaseType, namespace: leaseNamespace, name: leaseName },
    { type: configMapType, namespace: configNamespace, name: `${profile.component}-last-good` },
  ];
}

async function remove(
  api: Pick<KubeApi, 'remove'>,
  { type, namespace, name }: Leftover,
  { print, complain }: Terminal,
): Promise<boolean> {
  const what = `${type.kind} ${namespace}/${name}`;
  try {
    await api.remove(type, namespace, name);
    print(`${what} is deleted`);
    return true;
  } catch (error) {
    const absent = error instanceof KubeError && error.failure === 'absent';
    if (absent) print(`${what} was not there`);
    else complain(`${what} could not be deleted: ${error instanceof Error ? error.message : String(error)}`);
    return absent;
  }
}
