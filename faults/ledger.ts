import type { EventWord } from '../lib/run/step.ts';

/** What a sink must be told about one written condition, by what a receiver can see of it. */
export interface Telling {
  readonly uid: string;
  readonly word: EventWord;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** An event that a write owes. */
export interface Owed {
  readonly key: string;
  /** The run. */
  readonly uid: string;
  /** Whose order it is in: runs of one name share it. */
  readonly source: string;
  /** When the write was answered, ms on the judge's clock. */
  writtenMs: number;
}

/** What was written, in the order of the writes, kept apart from all that the controller says. */
export interface Ledger {
  readonly owed: readonly Owed[];
  /** Uids of the runs that are gone. */
  readonly removed: ReadonlySet<string>;
  /** Notes what a write is about to owe; call what it gives when the write was answered. */
  owe(source: string, tellings: readonly Telling[]): () => void;
  remove(uid: string): void;
}

/** One name for one telling. `started` is owed once a run, whichever condition it was seen in. */
export function keyOf({ uid, word, status, reason, message }: Telling): string {
  return word === 'started' ? `${uid} started` : [uid, word, status, reason, message].join(' ');
}

/** An empty ledger. */
export function createLedger(): Ledger {
  const owed: Owed[] = [];
  const removed = new Set<string>();
  return {
    owed,
    removed,
    owe: (source, tellings) => {
      const entries = tellings.map((one) => ({ key: keyOf(one), uid: one.uid, source, writtenMs: performance.now() }));
      owed.push(...entries);
      return () => {
        for (const entry of entries) entry.writtenMs = performance.now();
      };
    },
    remove: (uid) => void removed.add(uid),
  };
}
