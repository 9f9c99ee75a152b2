import { profiles } from '../../lib/profile.ts';
import { binaryOf } from '../../scripts/cluster/tools.ts';
import { installBy } from '../support/installed.ts';
import { installChart } from './chart-rights.ts';
import { startCluster } from './cluster.ts';
import { createNamespace } from './requests.ts';
import { shareCluster, sharedCluster } from './suite.ts';

/**
 * Starts the cluster that the suite shares and says where it is in the environment.
 *
 * `SPEC_KUBECONFIG`: kubeconfig file of the administrator; specs that also run on the sandbox use this server when
 * it is set. `SPEC_ETCD_URL`: client URL of its etcd. `SPEC_KUBECTL`, `SPEC_HELM`: binaries of its release.
 * `SPEC_CLUSTER_DIR`: a folder that goes with it.
 */
export async function mochaGlobalSetup(): Promise<void> {
  const cluster = await startCluster();
  shareCluster(cluster);
  // Controllers of specs that also run on the sandbox have no right here but the chart's.
  installBy(installChart);
  await createNamespace(cluster, profiles.svc.configNamespace);
  Object.assign(process.env, {
    SPEC_KUBECONFIG: cluster.kubeconfigFile,
    SPEC_ETCD_URL: cluster.etcdUrl,
    SPEC_KUBECTL: binaryOf('kubectl'),
    SPEC_HELM: binaryOf('helm'),
    SPEC_CLUSTER_DIR: cluster.dir,
  });
}

/** Stops the shared cluster. */
export async function mochaGlobalTeardown(): Promise<void> {
  await sharedCluster().stop();
  shareCluster(undefined);
  installBy(undefined);
}
