import type { ToldRecord } from './records.ts';
import { takeSome } from './take-some.ts';

/** By uid; undefined: the run is gone. */
export type ToldRow = ToldRecord | undefined;

/**
 * What was told of runs and waits for the disk. The row of a run is held for as long as one of its events waits: were
 * it written first and the process killed in between, that event would count as told.
 */
export class ToldRows {
  #ready = new Map<string, ToldRow>();
  #held = new Map<string, ToldRow>();

  get size(): number {
    return this.#ready.size + this.#held.size;
  }

  /** Rows that may be written. */
  get ready(): number {
    return this.#ready.size;
  }

  /** Replaces what was told of the run; the first version at which it was counted stays. */
  set(uid: string, row: ToldRow, held: boolean): void {
    const before = this.#held.get(uid) ?? this.#ready.get(uid);
    const after = row && { ...row, countedAt: before?.countedAt ?? row.countedAt };
    this.#ready.delete(uid);
    this.#held.delete(uid);
    (held ? this.#held : this.#ready).set(uid, after);
  }

  /** None of the run's events waits any more. */
  release(uid: string): void {
    move(uid, this.#held, this.#ready);
  }

  /** Takes the first rows out that may be written. */
  take(most: number): Map<string, ToldRow> {
    return takeSome(this.#ready, { most });
  }

  /** Adds rows that were taken and not written, before all others; those of `isHeld` wait for their events again. */
  putBack(rows: ReadonlyMap<string, ToldRow>, isHeld: (uid: string) => boolean): void {
    const newer = new Map([...this.#ready, ...this.#held]);
    this.#ready = new Map([...rows, ...newer]);
    this.#held = new Map();
    for (const uid of [...this.#ready.keys()].filter(isHeld)) move(uid, this.#ready, this.#held);
  }

  clear(): void {
    this.#ready.clear();
    this.#held.clear();
  }
}

function move(uid: string, from: Map<string, ToldRow>, to: Map<string, ToldRow>): void {
  if (!from.has(uid)) return;
  to.set(uid, from.get(uid));
  from.delete(uid);
}
