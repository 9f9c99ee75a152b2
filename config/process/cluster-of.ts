import { envName } from './env-name.ts';
import type { Cluster, OptionValues } from './run-options.ts';

interface Around {
  /** What a start that names no cluster means: the sandbox (`npm start`), or the cluster around (the bundle). */
  readonly bare: 'sandbox' | 'cluster';
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The API server that the options mean, or one sentence why there is none. */
export function clusterOf(
  { sandbox, kubeconfig }: Pick<OptionValues, 'sandbox' | 'kubeconfig'>,
  { bare, env }: Around,
): Cluster | { readonly error: string } {
  if (sandbox && kubeconfig !== undefined)
    return { error: '--sandbox and --kubeconfig: expected one of them, got both' };
  if (kubeconfig !== undefined) return { type: 'kubeconfig', file: kubeconfig };
  if (sandbox ?? bare === 'sandbox') return { type: 'sandbox' };
  if (env.KUBERNETES_SERVICE_HOST) return { type: 'in-cluster' };
  if (env.KUBECONFIG) return { type: 'kubeconfig', file: env.KUBECONFIG };
  return {
    error: `expected --kubeconfig FILE, --sandbox, KUBECONFIG or a pod in a cluster, got none (also ${envName('kubeconfig')})`,
  };
}
