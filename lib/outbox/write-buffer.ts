import type { OutgoingEvent } from '../events/outgoing.ts';
import { type Batch, type BufferLimits, bufferLimits, type Letter } from './batch.ts';
import type { KeptEvent } from './outbox.ts';
import type { Waiting } from './pace.ts';
import { eventKey, type ToldRecord } from './records.ts';
import { type ToldRow, ToldRows } from './told-rows.ts';
import { type Portion, WaitingEvents } from './waiting-events.ts';

/** When an event was put. */
interface PutTimes {
  /** Ms since the epoch. */
  readonly putAtMs: number;
  /** Ms of a clock that nobody puts back. */
  readonly sinceMs: number;
}

/**
 * What waits for the disk, and what stands on it: one batch is under way at a time, the rest gathers meanwhile.
 *
 * An event that is settled before its batch was taken never reaches the disk. What was told of a run is written with
 * its last event that waits, or later; a mark only in a batch that leaves nothing behind. Memory is bounded by the
 * delivery queue, whose events these are, and by `limits`.
 */
export class WriteBuffer {
  readonly #limits: BufferLimits;
  readonly #waiting = new WaitingEvents();
  #kept = new Map<string, KeptEvent>();
  #removals = new Set<string>();
  readonly #told = new ToldRows();
  #toldOff = false;
  #forgetTold = false;
  #letters: Letter[] = [];
  #marks = new Map<string, string>();
  #complete = new Set<string>();
  /** The last mark of each watch, for a database that begins afresh. */
  readonly #reached = new Map<string, string>();
  #sent: Batch | undefined;
  #settled = 0;

  constructor(limits: BufferLimits = bufferLimits) {
    this.#limits = limits;
  }

  /** Events that are not on disk yet. */
  get waitingEvents(): number {
    return this.#waiting.size + (this.#sent?.events.size ?? 0);
  }

  /** Events that stand on disk. */
  get keptEvents(): number {
    return this.#kept.size;
  }

  /** Whether anything waits to be written. */
  get hasNews(): boolean {
    const sets = [this.#waiting, this.#told, this.#removals, this.#marks, this.#complete];
    return this.#forgetTold || this.#letters.length > 0 || sets.some(({ size }) => size > 0);
  }

  /** Whether a whole batch waits of what was told. */
  get hasMuchTold(): boolean {
    return this.#told.ready >= this.#limits.batchTold;
  }

  /** Events settled so far, on disk or not. */
  get settled(): number {
    return this.#settled;
  }

  /** What waits at this time of the clock that `put` was given; and what was settled since, of a former `settled`. */
  waiting(nowMs: number, since: { readonly settled: number; readonly atMs: number }): Waiting {
    const oldestMs = nowMs - (this.#waiting.oldestSinceMs ?? nowMs);
    return {
      events: this.#waiting.size,
      oldestMs,
      settled: this.#settled - since.settled,
      overMs: nowMs - since.atMs,
    };
  }

  put(watch: string, events: readonly OutgoingEvent[], { putAtMs, sinceMs }: PutTimes): void {
    for (const event of events) this.#waiting.put({ event, putAtMs, watch, sinceMs });
  }

  settle(event: OutgoingEvent): void {
    const key = eventKey(event);
    this.#settled += 1;
    if (this.#waiting.delete(key, event)) this.#told.release(event.uid);
    const onDisk = this.#kept.delete(key) || this.#sent?.events.has(key) === true;
    if (onDisk) this.#removals.add(key);
  }

  /** Adds a dead letter; false when too many wait. Its event is settled once the line is written. */
  bury(letter: Letter): boolean {
    if (this.#letters.length >= this.#limits.waitingLetters) return false;
    this.#letters.push(letter);
    return true;
  }

  /** Adds what is told of a run; false when too much waited and the told table is given up. */
  tell(record: ToldRecord): boolean {
    return this.#setTold(record.uid, record);
  }

  forget(uid: string): boolean {
    return this.#setTold(uid, undefined);
  }

  reached(watch: string, version: string): void {
    this.#marks.set(watch, version);
    this.#reached.set(watch, version);
  }

  listed(watch: string): void {
    if (!this.#toldOff) this.#complete.add(watch);
  }

  forgetTold(): void {
    this.#told.clear();
    this.#complete.clear();
    this.#forgetTold = true;
  }

  /** What to write next, until it is `committed` or `failed`; undefined when nothing waits. */
  take(portion: Portion = 'oldest'): Batch | undefined {
    if (this.#sent !== undefined || !this.hasNews) return undefined;
    const events = this.#waiting.take(portion, this.#limits, (uid) => this.#told.release(uid));
    const told = this.#told.take(this.#limits.batchTold);
    const all = this.#told.size === 0;
    const everything = all && this.#waiting.size === 0;
    this.#sent = {
      events,
      told,
      removals: this.#removals,
      forgetTold: this.#forgetTold,
      letters: this.#letters,
      marks: everything ? this.#marks : new Map(),
      complete: all ? this.#complete : new Set(),
    };
    this.#removals = new Set();
    this.#forgetTold = false;
    this.#letters = [];
    if (everything) this.#marks = new Map();
    if (all) this.#complete = new Set();
    return this.#sent;
  }

  /** The batch is on disk. */
  committed(batch: Batch): void {
    this.#sent = undefined;
    for (const [key, kept] of batch.events) if (!this.#removals.has(key)) this.#kept.set(key, kept);
  }

  /** The batch is not on disk, but for its removals if they are: it waits again, before what came meanwhile. */
  failed(batch: Batch, removed: boolean): void {
    this.#sent = undefined;
    const unsettled = [...batch.events].filter(([key]) => !this.#removals.has(key));
    this.#waiting.putBack(unsettled);
    if (!removed) this.#removals = new Set([...batch.removals, ...this.#removals]);
    this.#marks = new Map([...batch.marks, ...this.#marks]);
    // Also where nothing comes back: rows that came meanwhile are held for the events of the batch.
    this.#told.putBack(this.#forgetTold ? new Map() : batch.told, (uid) => this.#waiting.ofRun(uid));
    if (!this.#forgetTold) {
      this.#complete = new Set([...batch.complete, ...this.#complete]);
      this.#forgetTold = batch.forgetTold;
    }
  }

  /** The letters of the batch could not be written: they wait again. */
  unburied({ letters }: Batch): void {
    this.#letters = [...letters, ...this.#letters];
  }

  /** The database is another one, and empty: what stood in the last must be written again. What was told is lost. */
  startOver(): void {
    this.#waiting.putBack(this.#kept);
    this.#kept = new Map();
    this.#removals = new Set();
    this.#marks = new Map(this.#reached);
    this.#giveUpTold();
  }

  /** A new term, and what stands on disk now. Gives every event that is not settled, also those that still wait. */
  resume(onDisk: readonly KeptEvent[]): readonly KeptEvent[] {
    const unsettled = onDisk.filter(({ event }) => !this.#removals.has(eventKey(event)));
    this.#kept = new Map(unsettled.map((kept) => [eventKey(kept.event), kept]));
    this.#toldOff = false;
    return [...this.#kept.values(), ...this.#waiting.values()];
  }

  /** Every event that is not settled, as far as this process knows. */
  unsettled(): readonly KeptEvent[] {
    return [...this.#kept.values(), ...this.#waiting.values()];
  }

  #setTold(uid: string, row: ToldRow): boolean {
    if (this.#toldOff) return true;
    this.#told.set(uid, row, this.#waiting.ofRun(uid));
    if (this.#told.size <= this.#limits.waitingTold) return true;
    this.#giveUpTold();
    return false;
  }

  #giveUpTold(): void {
    this.forgetTold();
    this.#toldOff = true;
  }
}
