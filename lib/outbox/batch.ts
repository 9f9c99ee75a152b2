import type { OutgoingEvent } from '../events/outgoing.ts';
import type { KeptEvent } from './outbox.ts';
import type { ToldRow } from './told-rows.ts';

/** What goes to disk as one transaction. */
export interface Batch {
  readonly events: ReadonlyMap<string, KeptEvent>;
  /** Keys of events that need no row any more. */
  readonly removals: ReadonlySet<string>;
  /** By uid; undefined: the run is gone. */
  readonly told: ReadonlyMap<string, ToldRow>;
  readonly forgetTold: boolean;
  /** Lines for the dead letters, written before anything else. */
  readonly letters: readonly Letter[];
  /** By watch; empty unless everything that waited is in this batch. */
  readonly marks: ReadonlyMap<string, string>;
  readonly complete: ReadonlySet<string>;
}

/** A dead letter, and the event that its writing settles. */
export interface Letter {
  readonly event: OutgoingEvent;
  /** A structured CloudEvent as one line of JSON, without its newline. */
  readonly line: string;
}

/** How much of what waits goes into one transaction, and how much may wait. */
export interface BufferLimits {
  readonly batchEvents: number;
  readonly batchBytes: number;
  readonly batchTold: number;
  /** Runs whose rows may wait; past it the told table is given up until the next complete list. */
  readonly waitingTold: number;
  /** Dead letters that may wait; past it they are refused. */
  readonly waitingLetters: number;
}

/** A batch takes some ten ms to write; what may wait is some 50 MB of rows and 40 MB of letters. */
export const bufferLimits: BufferLimits = {
  batchEvents: 1000,
  batchBytes: 4 * 1024 * 1024,
  batchTold: 4000,
  waitingTold: 100_000,
  waitingLetters: 10_000,
};
