import type { Values } from './chart/support/helm.ts';
import { releaseIn } from './chart/support/release.ts';
import { sharedCluster } from './suite.ts';

/** Values of a release that is there for its rights: the specs write config maps, good and bad ones, themselves. */
export function rightsOnly(watchNamespaces: readonly string[]): Values {
  return {
    watchNamespaces,
    config: { create: false },
    admissionPolicy: { enabled: false },
    metrics: { secure: true },
    cleanup: { enabled: false },
  };
}

/** Installs the chart in a namespace with helm; a kubeconfig file with a token of its service account. */
export async function installChart(namespace: string): Promise<string> {
  const release = await releaseIn(namespace);
  await release.upgrade(rightsOnly([namespace]));
  const { tokenFor, kubeconfigFor } = sharedCluster();
  return kubeconfigFor(await tokenFor({ namespace, name: 'svc-pipelines-controller' }));
}
