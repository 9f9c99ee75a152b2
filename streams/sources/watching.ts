import type { WatchEvent } from '../../lib/kube/watch-event.ts';
import type { ReadResource } from './read-resources.ts';
import type { WatchSettings } from './watch-options.ts';

/** What every step of one subscription works with. */
export interface Watching<T> {
  readonly options: WatchSettings<T>;
  readonly signal: AbortSignal;
  readonly emit: (event: WatchEvent<T>) => void;
  readonly read: ReadResource<T>;
  /** The server has said something: what was wrong is over. */
  readonly contact: () => void;
}
