import type { Cluster } from './cluster.ts';

let current: Cluster | undefined;

/** Says which cluster the suite shares; undefined when it is gone. Only setup.ts does. */
export function shareCluster(cluster: Cluster | undefined): void {
  current = cluster;
}

/** The one cluster that all specs of the suite share. Whoever stops a server of it starts it again. */
export function sharedCluster(): Cluster {
  if (current === undefined) {
    throw new Error('expected a running cluster, found none: run these specs with npm run test:cluster');
  }
  return current;
}
