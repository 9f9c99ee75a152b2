import { apiErrors } from './api-error.ts';
import type { Selector } from './selector.ts';
import { apiVersionOf, type ServedType } from './served-types.ts';
import type { Json, StoredObject } from './stored-object.ts';
import type { Change, VersionedStore } from './versioned-store.ts';

export interface WatchOptions {
  readonly type: ServedType;
  /** '' is every namespace. */
  readonly namespace: string;
  readonly selector: Selector | undefined;
  /** Changes after this revision are told; undefined begins with everything that exists, each as ADDED. */
  readonly since: number | undefined;
  readonly bookmarks: boolean;
  /** Ends what exists with a marked bookmark: a streamed list. */
  readonly initialEvents: boolean;
  /** Says one line; false asks to wait until `drained`. */
  readonly write: (line: Json) => boolean;
  /** Ends the watch; `cut` when the watcher was too slow to keep. */
  readonly end: (how: 'done' | 'cut') => void;
}

interface Line {
  readonly type: string;
  readonly object: Json;
}

/**
 * One watch: a place in the store's history that moves on as far as the watcher reads.
 *
 * It holds no queue. A watcher that stands still while the history is cut behind its place is cut off, so what
 * a slow one can cost is the history, which all share.
 */
export class WatchSession {
  readonly #store: VersionedStore;
  readonly #options: WatchOptions;
  #initial: Iterator<readonly [string, StoredObject]> | undefined;
  #place: number;
  #open = true;
  #full = false;

  constructor(store: VersionedStore, options: WatchOptions) {
    this.#store = store;
    this.#options = options;
    this.#place = options.since ?? store.revision;
    if (options.since === undefined) {
      const range = { namespace: options.namespace, revision: store.revision, from: '' };
      this.#initial = store.list(options.type.plural, range);
    }
  }

  /** Tells what there is to tell, as far as the watcher takes it. */
  pump(): void {
    if (!this.#open) return;
    if (this.#place < this.#store.compacted) {
      this.#behind();
      return;
    }
    if (this.#full || !this.#pumpInitial()) return;
    for (let change = this.#store.next(this.#place); change !== undefined; change = this.#store.next(this.#place)) {
      this.#place = change.revision;
      const line = this.#lineOf(change);
      if (line !== undefined && !this.#write(line)) return;
    }
  }

  /** Goes on after the watcher has read what was written. */
  drained(): void {
    this.#full = false;
    this.pump();
  }

  /**
   * Says how far the watch has come, unless lines still wait before it. On a server where nothing at all is written
   * a kube-apiserver would keep quiet; it always writes something itself, the sandbox does not.
   */
  bookmark(): void {
    const behind = this.#initial !== undefined || this.#place < this.#store.revision;
    if (this.#open && this.#options.bookmarks && !behind && !this.#full) this.#write(this.#bookmarkLine({}));
  }

  /** Stops telling; what is under way is not ended here. */
  close(): void {
    this.#open = false;
    this.#initial = undefined;
  }

  #behind(): void {
    const begun = this.#initial !== undefined || this.#options.since !== this.#place;
    if (begun) {
      this.#finish('cut');
      return;
    }
    const { body } = apiErrors.expiredWatch(this.#place, this.#store.compacted);
    this.#options.write({ type: 'ERROR', object: body });
    this.#finish('done');
  }

  #finish(how: 'done' | 'cut'): void {
    this.close();
    this.#options.end(how);
  }

  #pumpInitial(): boolean {
    while (this.#initial !== undefined) {
      const { value, done } = this.#initial.next();
      if (done === true) {
        this.#initial = undefined;
        return !this.#options.initialEvents || this.#write(this.#bookmarkLine({ 'k8s.io/initial-events-end': 'true' }));
      }
      const [, object] = value;
      const wanted = this.#options.selector?.(object) ?? true;
      if (wanted && !this.#write({ type: 'ADDED', object })) return false;
    }
    return true;
  }

  #lineOf({ plural, revision, before, after }: Change): Line | undefined {
    const { type, namespace, selector } = this.#options;
    if (plural !== type.plural) return undefined;
    if (namespace !== '' && (after ?? before)?.metadata.namespace !== namespace) return undefined;
    const matched = before !== undefined && (selector?.(before) ?? true);
    const matches = after !== undefined && (selector?.(after) ?? true);
    // An object that no longer matches is deleted as far as this watcher is concerned.
    if (matches) return { type: matched ? 'MODIFIED' : 'ADDED', object: after };
    return matched ? { type: 'DELETED', object: atRevision(before, revision) } : undefined;
  }

  #bookmarkLine(annotations: Json): Line {
    const { type } = this.#options;
    const marked = Object.keys(annotations).length > 0 ? { annotations } : {};
    const metadata = { resourceVersion: String(this.#place), ...marked };
    return { type: 'BOOKMARK', object: { kind: type.kind, apiVersion: apiVersionOf(type), metadata } };
  }

  #write(line: Line): boolean {
    this.#full = !this.#options.write({ ...line });
    return !this.#full;
  }
}

/** A deleted object is told with the version of its deletion, from which a watch may go on. */
function atRevision(object: StoredObject, revision: number): StoredObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
