import type { Observable } from 'rxjs';
import type { BackoffPolicy } from '../../lib/backoff.ts';
import type { KubeApi, ListQuery, ResourceType } from '../../lib/kube/api.ts';
import type { Log } from '../../lib/log.ts';
import type { Measure } from '../../lib/metrics/own.ts';
import type { Resource } from '../../lib/run/run.ts';
import type { Unparsed } from '../../lib/run/scan.ts';
import type { FindType } from './discovered.ts';

/** An object as scanned, and the version that it is. */
interface Scanned<T> {
  readonly object: T;
  readonly resourceVersion: string;
}

/** What to watch, and what a watch needs from outside. */
export interface WatchOptions<T> {
  readonly api: Pick<KubeApi, 'list' | 'watch'>;
  /** What is watched; a function is asked again whenever the server says that it lacks the resource. */
  readonly type: ResourceType | FindType;
  /** '' means all namespaces. */
  readonly namespace: string;
  readonly fieldSelector?: string;
  /** One object of the type watched, as the consumer wants it; undefined where it cannot be read. */
  readonly read: (resource: Resource, type: ResourceType) => T | undefined;
  /**
   * The same from the bytes of a watched object, without parsing it; undefined where only `read` can tell. The
   * bytes and `parse` may be kept.
   */
  readonly scan?: (unparsed: Unparsed, type: ResourceType) => Scanned<T> | undefined;
  /** The `resource` label of metrics and log lines, `taskruns`. */
  readonly resourceLabel: string;
  /** A version to resume from: the first list shows the past at this version instead of the present. */
  readonly startAt?: string | undefined;
  /**
   * The server was put back to an earlier state, and what it says from now on need not go on from what it said. A watch
   * that has come further lists over, as it was at this version, or as it is now where that is undefined or forgotten.
   */
  readonly putBack$?: Observable<string | undefined> | undefined;
  readonly measure: Measure;
  readonly log: Log;
  /** Uniform in [0, 1); default Math.random. */
  readonly random?: () => number;
  /** Milliseconds since the epoch; default Date.now. */
  readonly now?: () => number;
  /** Default `watchBackoff`. */
  readonly backoff?: BackoffPolicy;
  /** Objects a list request; default 500. */
  readonly pageSize?: number;
  /** How often a resource that the server lacks is looked for; default 30,000. */
  readonly absentPollMs?: number;
}

/** The options with their defaults. */
export type WatchSettings<T> = WatchOptions<T> &
  Required<Pick<WatchOptions<T>, 'random' | 'now' | 'backoff' | 'pageSize' | 'absentPollMs'>>;

/** The selector of a list or watch. RBAC by resource name allows a request only when it names that resource. */
export function selectorOf<T>({ fieldSelector }: WatchOptions<T>): Pick<ListQuery, 'fieldSelector'> {
  return fieldSelector === undefined ? {} : { fieldSelector };
}
