import type { Resource } from '../run/run.ts';
import type { Unparsed } from '../run/scan.ts';

/** A resource as discovered: the API server's preferred version of it. */
export interface ResourceType {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
}

/**
 * Why a request to the API server did not do what it should; a closed set.
 *
 * `expired`: the version or continue token is gone (410). `absent`: no such resource or object (404).
 * `forbidden`: RBAC lacks it (403), said in `message` with verb, resource and namespace. `unauthorized`: 401.
 * `conflict`: 409. `busy`: 429 or 503 with a wait. `refused`: any other answer but 2xx. `unreachable`: no
 * answer. `silent`: a watch that was opened and then said nothing. `malformed`: an answer that is no Kubernetes
 * object. `future`: the version asked for is one that the server has not reached (a restored etcd).
 */
export type KubeFailure =
  | 'expired'
  | 'absent'
  | 'forbidden'
  | 'unauthorized'
  | 'conflict'
  | 'busy'
  | 'refused'
  | 'unreachable'
  | 'silent'
  | 'malformed'
  | 'future';

/** A request that failed, as one sentence fit for a log line. */
export class KubeError extends Error {
  readonly failure: KubeFailure;
  /** HTTP status; 0 where no answer came. */
  readonly code: number;
  /** What `Retry-After` asked for, ms. */
  readonly retryAfterMs: number | undefined;
  /** With `expired`: the first version from which the server says it can still watch. */
  readonly oldestVersion: string | undefined;

  constructor(
    failure: KubeFailure,
    message: string,
    details: {
      code?: number;
      retryAfterMs?: number | undefined;
      oldestVersion?: string | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: details.cause });
    this.name = 'KubeError';
    this.failure = failure;
    this.code = details.code ?? 0;
    this.retryAfterMs = details.retryAfterMs;
    this.oldestVersion = details.oldestVersion;
  }
}

/** One page of a list: the objects as sent, and where the list stands. */
export interface ListPage {
  readonly items: readonly Resource[];
  /** What a page that was asked for `unparsed` holds instead of items. */
  readonly unparsed?: readonly Unparsed[];
  readonly resourceVersion: string;
  /** '' on the last page. */
  readonly continueToken: string;
}

export interface ListQuery {
  readonly limit?: number;
  readonly continueToken?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  readonly fieldSelector?: string;
  /** Objects are handed over in their bytes; a page in doubt is parsed as ever. */
  readonly unparsed?: boolean;
}

/** One line of a watch, read but not judged. */
export interface WatchLine {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: Resource;
  /** Where a line that was asked for `unparsed` has its object: `object` is parsed when first read, and may throw. */
  readonly unparsed?: Unparsed;
}

export interface WatchQuery {
  readonly resourceVersion: string;
  /** Objects are handed over in their bytes, parsed only when read; a line in doubt is parsed as ever. */
  readonly unparsed?: boolean;
  readonly fieldSelector?: string;
}

/**
 * The few things asked of an API server. Every method rejects with a KubeError, never anything else, and
 * with the signal's reason when aborted. `namespace` '' means all namespaces.
 */
export interface KubeApi {
  /** The group's preferred version of each of its resources; empty when the server lacks the group. */
  discover(group: string, signal?: AbortSignal): Promise<readonly ResourceType[]>;
  list(type: ResourceType, namespace: string, query: ListQuery, signal?: AbortSignal): Promise<ListPage>;
  /**
   * Opens a watch with bookmarks and hands over its lines, in order and many at a time (one call a chunk
   * received). The first call has no lines: the server has accepted the watch. Resolves when the server ends it;
   * rejects `expired` on 410 as status or as ERROR line (any other ERROR line by its code), `malformed` on a line
   * that is no JSON (an unparsed one once it is parsed), and `silent` when nothing, not even a bookmark, came for `silenceMs` (default 90,000: a
   * kube-apiserver sends a bookmark about once a minute). What `onLines` throws ends the watch and is thrown on.
   */
  watch(
    type: ResourceType,
    namespace: string,
    query: WatchQuery,
    onLines: (lines: readonly WatchLine[]) => void,
    signal: AbortSignal,
  ): Promise<void>;
  get(type: ResourceType, namespace: string, name: string, signal?: AbortSignal): Promise<Resource>;
  create(type: ResourceType, namespace: string, object: Resource, signal?: AbortSignal): Promise<Resource>;
  /** Replaces; a stale `metadata.resourceVersion` rejects with `conflict`. */
  update(
    type: ResourceType,
    namespace: string,
    name: string,
    object: Resource,
    signal?: AbortSignal,
  ): Promise<Resource>;
  remove(type: ResourceType, namespace: string, name: string, signal?: AbortSignal): Promise<void>;
}

/** The core types this controller touches besides the runs. */
export const configMapType: ResourceType = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap' };
export const eventType: ResourceType = { group: '', version: 'v1', plural: 'events', kind: 'Event' };
export const leaseType: ResourceType = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease' };
