import type { OutgoingEvent } from '../events/outgoing.ts';
import type { DropCause } from '../metrics/own.ts';
import type { Known } from '../run/observe.ts';

/** An event as it stood in the data dir at start. */
export interface KeptEvent {
  readonly event: OutgoingEvent;
  /** When it was first queued, ms since the epoch. */
  readonly putAtMs: number;
}

/** What was last told of one run. */
export interface KeptTold {
  /** The watch it was seen by: `taskruns`, or `taskruns/<namespace>`. */
  readonly watch: string;
  readonly known: Known;
  /** The version at which it was counted; undefined: not yet. */
  readonly countedAt: string | undefined;
}

/** Everything that stands in the data dir; events in no order, since the newest may be written first. */
export interface Kept {
  readonly events: readonly KeptEvent[];
  readonly told: readonly KeptTold[];
}

/** Among the marks, that of the Lease: one found in an earlier version is that of a server that was put back. */
export const leaseMark = 'lease';

/** How far the data dir goes: who it is, and what stands in it. */
export interface OutboxState {
  /** Names this database and no other: a database begun afresh has another. */
  readonly id: string;
  /**
   * By watch: every event that it owed up to this version stands in the data dir, or was settled. And as `leaseMark`
   * the version of the Lease as we last had it.
   */
  readonly marks: Readonly<Record<string, string>>;
  /** Watches of which every run that exists stands in the told table. */
  readonly complete: readonly string[];
}

/**
 * Events and what was told, kept on disk. Nothing here waits for the disk, but for `load`, `flush` and `close`.
 *
 * While the disk takes nothing, all stays in memory and is tried again; nothing ever throws or rejects.
 */
export interface Outbox {
  /** As committed; read it again after `load`. */
  state(): OutboxState;
  /** These events of a watch wait from now on. */
  put(watch: string, events: readonly OutgoingEvent[]): void;
  /** The event was acknowledged, or dropped for good. */
  settle(event: OutgoingEvent): void;
  /** The event was dropped for this cause; it is written to the dead letters, then settled. */
  bury(event: OutgoingEvent, cause: DropCause): void;
  /** What is known and told of a run from now on; committed with the events put in the same turn, never before. */
  tell(watch: string, known: Known): void;
  /** The run is gone. */
  forget(uid: string): void;
  /** The watch has come to this version: everything it owes up to here was put. */
  reached(watch: string, version: string): void;
  /** A complete list of the watch was told. */
  listed(watch: string): void;
  /** Forgets all that was told, and every mark. */
  forgetTold(): void;
  /** Puts to disk what waits, forgets what could not be, and reads everything back: a new term begins. */
  load(): Promise<Kept>;
  /** Whether everything said before this call is on disk. */
  flush(): Promise<boolean>;
  /** Flushes, and lets the data dir go. */
  close(): Promise<void>;
}
