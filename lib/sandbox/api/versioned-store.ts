import { type StoredObject, storeKey } from './stored-object.ts';

/** One write, as a watch tells it. `after` undefined: deleted. */
export interface Change {
  readonly revision: number;
  readonly plural: string;
  readonly key: string;
  readonly atMs: number;
  readonly before: StoredObject | undefined;
  readonly after: StoredObject | undefined;
}

interface Version {
  readonly revision: number;
  readonly object: StoredObject | undefined;
}

/** One resource: the kept versions of each key, oldest first. */
interface Shelf {
  readonly chains: Map<string, Version[]>;
  /** Undefined after a key came or went. */
  sorted: readonly string[] | undefined;
}

interface Range {
  /** '' is every namespace. */
  readonly namespace: string;
  readonly revision: number;
  /** The first key wanted; '' starts at the beginning. */
  readonly from: string;
}

interface Options {
  /** Changes kept for watches and old lists; older ones are compacted away. */
  readonly historyLimit: number;
  readonly historyAgeMs: number;
  readonly nowMs: () => number;
}

/**
 * Objects with all their recent versions under one counter, as etcd keeps them.
 *
 * A write is one revision. What is older than the compaction mark is gone: lists below it fail, watches below it
 * expire. The history is bounded by number and by age; both are let run a quarter over before they are cut, so
 * that cutting is rare.
 */
export class VersionedStore {
  readonly #options: Options;
  readonly #shelves = new Map<string, Shelf>();
  readonly #listeners = new Set<() => void>();
  #log: Change[] = [];
  #revision = 1;
  #compacted = 0;
  #live = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  /** The revision of the last write. */
  get revision(): number {
    return this.#revision;
  }

  /** Lists below this revision, and watches from below it, are no longer possible. */
  get compacted(): number {
    return this.#compacted;
  }

  /** Objects that exist. */
  get size(): number {
    return this.#live;
  }

  get(plural: string, namespace: string, name: string): StoredObject | undefined {
    return this.#shelf(plural).chains.get(storeKey(namespace, name))?.at(-1)?.object;
  }

  /** Writes a version and gives it back with the resourceVersion it got. */
  put(plural: string, object: StoredObject): StoredObject {
    const revision = this.#revision + 1;
    const after = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    this.#append(plural, storeKey(object.metadata.namespace ?? '', object.metadata.name), after);
    return after;
  }

  remove(plural: string, namespace: string, name: string): void {
    this.#append(plural, storeKey(namespace, name), undefined);
  }

  /** The objects of a range in key order, as they were at its revision; lazily, so a page costs a page. */
  *list(plural: string, { namespace, revision, from }: Range): Generator<readonly [string, StoredObject]> {
    const shelf = this.#shelf(plural);
    const prefix = namespace === '' ? '' : `${namespace}/`;
    const keys = this.#sorted(shelf);
    for (let i = lowerBound(keys, from > prefix ? from : prefix); i < keys.length; i += 1) {
      const key = keys[i] ?? '';
      if (!key.startsWith(prefix)) return;
      const object = shelf.chains.get(key)?.findLast((version) => version.revision <= revision)?.object;
      if (object !== undefined) yield [key, object];
    }
  }

  /** How many keys a range has from a key on; those deleted lately are among them, as an estimate may. */
  count(plural: string, namespace: string, from: string): number {
    const keys = this.#sorted(this.#shelf(plural));
    // The character after the slash that ends a namespace.
    const end = namespace === '' ? keys.length : lowerBound(keys, `${namespace}0`);
    return end - lowerBound(keys, from);
  }

  /** The change right after a revision, of whatever resource; undefined at the head. */
  next(revision: number): Change | undefined {
    return this.#log[revision - this.#revision + this.#log.length];
  }

  /** Calls back after every write and after every compaction; returns the way out. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets what is older than a revision, by default everything but the present. */
  compact(revision = this.#revision): void {
    const mark = Math.min(revision, this.#revision);
    if (mark <= this.#compacted) return;
    const kept = this.#log.findIndex((change) => change.revision > mark);
    const gone = this.#log.splice(0, kept === -1 ? this.#log.length : kept);
    this.#compacted = mark;
    for (const { plural, key } of gone) this.#prune(this.#shelf(plural), key, mark);
    this.#tell();
  }

  #append(plural: string, key: string, after: StoredObject | undefined): void {
    const shelf = this.#shelf(plural);
    const chain = shelf.chains.get(key) ?? [];
    const before = chain.at(-1)?.object;
    if (chain.length === 0) {
      shelf.chains.set(key, chain);
      shelf.sorted = undefined;
    }
    this.#revision += 1;
    this.#live += Number(after !== undefined) - Number(before !== undefined);
    chain.push({ revision: this.#revision, object: after });
    this.#log.push({ revision: this.#revision, plural, key, atMs: this.#options.nowMs(), before, after });
    this.#tell();
    this.#trim();
  }

  #trim(): void {
    const { historyLimit, historyAgeMs, nowMs } = this.#options;
    const oldest = nowMs() - historyAgeMs;
    const tooMany = this.#log.length > historyLimit * 1.25;
    const tooOld = (this.#log[0]?.atMs ?? Infinity) < oldest - historyAgeMs / 4;
    if (!tooMany && !tooOld) return;
    const young = this.#log.findIndex((change) => change.atMs >= oldest);
    const first = this.#log[Math.max(young, this.#log.length - historyLimit)];
    if (first !== undefined) this.compact(first.revision - 1);
  }

  #prune(shelf: Shelf, key: string, mark: number): void {
    const chain = shelf.chains.get(key);
    if (chain === undefined) return;
    const base = chain.findLastIndex((version) => version.revision <= mark);
    const dead = chain[base]?.object === undefined;
    chain.splice(0, dead ? base + 1 : base);
    if (chain.length > 0) return;
    shelf.chains.delete(key);
    shelf.sorted = undefined;
  }

  #shelf(plural: string): Shelf {
    const known = this.#shelves.get(plural) ?? { chains: new Map(), sorted: undefined };
    this.#shelves.set(plural, known);
    return known;
  }

  #sorted(shelf: Shelf): readonly string[] {
    shelf.sorted ??= [...shelf.chains.keys()].sort();
    return shelf.sorted;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function lowerBound(keys: readonly string[], wanted: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? '') < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
