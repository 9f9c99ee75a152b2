import type { MapName } from '../../config/settings.ts';
import type { Resource } from '../../lib/run/run.ts';

/** A ConfigMap as an API server sends it; `uid` tells a map that was made again from the one before. */
export function configMap(
  name: MapName,
  resourceVersion: string,
  data: Readonly<Record<string, string>>,
  uid = 'u1',
): Resource {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'svc-pipelines', uid, resourceVersion },
    data,
  };
}
