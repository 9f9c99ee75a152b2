import { type KubeApi, KubeError } from '../../lib/kube/api.ts';
import { field, text } from '../../lib/run/fields.ts';
import type { Resource } from '../../lib/run/run.ts';

/** The part of an API server that keeps one Lease, with versions and conflicts. */
export interface LeaseApi extends Pick<KubeApi, 'get' | 'create' | 'update'> {
  /** The lease as it stands. */
  readonly stored: () => Resource | undefined;
  /**
   * Puts the server back to when the lease was this; undefined: to before there was one, or with a version, which is
   * then the last given: somebody has deleted it.
   */
  putBack(to: Resource | undefined, lastVersion?: number): void;
  /** While set, every request fails with it. */
  down: KubeError | undefined;
}

/** An empty one. */
export function leaseApi(): LeaseApi {
  let lease: Resource | undefined;
  let version = 0;
  const store = (object: Resource): Resource => {
    version += 1;
    lease = { ...object, metadata: { ...(field(object, 'metadata') as object), resourceVersion: String(version) } };
    return lease;
  };
  const up = () => {
    if (api.down !== undefined) throw api.down;
  };
  const api: LeaseApi = {
    stored: () => lease,
    putBack: (to, lastVersion = Number(text(to, 'metadata', 'resourceVersion'))) => {
      lease = to;
      version = lastVersion;
    },
    down: undefined,
    get: async () => {
      up();
      if (lease === undefined) throw new KubeError('absent', 'no such lease', { code: 404 });
      return lease;
    },
    create: async (_type, _namespace, object) => {
      up();
      if (lease !== undefined) throw new KubeError('conflict', 'the lease exists', { code: 409 });
      return store(object);
    },
    update: async (_type, _namespace, _name, object) => {
      up();
      if (lease === undefined) throw new KubeError('absent', 'no such lease', { code: 404 });
      const stale = text(object, 'metadata', 'resourceVersion') !== text(lease, 'metadata', 'resourceVersion');
      if (stale) throw new KubeError('conflict', 'the lease has changed', { code: 409 });
      return store(object);
    },
  };
  return api;
}
