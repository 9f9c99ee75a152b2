import type { OutgoingEvent } from '../events/outgoing.ts';
import { type Batch, type BufferLimits, bufferLimits, type Letter } from './batch.ts';
import type { KeptEvent } from './outbox.ts';
import { eventKey, type ToldRecord } from './records.ts';
import { takeSome } from './take-some.ts';

/**
 * What waits for the disk, and what stands on it: one batch is under way at a time, the rest gathers meanwhile.
 *
 * An event that is settled before its batch was taken never reaches the disk. Memory is bounded by the delivery
 * queue, whose events these are, and by `limits`.
 */
export class WriteBuffer {
  readonly #limits: BufferLimits;
  #waiting = new Map<string, KeptEvent>();
  #kept = new Map<string, KeptEvent>();
  #removals = new Set<string>();
  #told = new Map<string, ToldRecord | undefined>();
  #toldOff = false;
  #forgetTold = false;
  #letters: Letter[] = [];
  #marks = new Map<string, string>();
  #complete = new Set<string>();
  /** The last mark of each watch, for a database that begins afresh. */
  readonly #reached = new Map<string, string>();
  #sent: Batch | undefined;

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
    const sets = [this.#waiting, this.#removals, this.#told, this.#marks, this.#complete];
    return this.#forgetTold || this.#letters.length > 0 || sets.some(({ size }) => size > 0);
  }

  /** Whether a whole batch waits. */
  get hasMuch(): boolean {
    return this.#waiting.size >= this.#limits.batchEvents || this.#told.size >= this.#limits.batchTold;
  }

  put(events: readonly OutgoingEvent[], putAtMs: number): void {
    for (const event of events) this.#waiting.set(eventKey(event), { event, putAtMs });
  }

  settle(event: OutgoingEvent): void {
    const key = eventKey(event);
    this.#waiting.delete(key);
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
    const { uid } = record;
    const countedAt = this.#told.get(uid)?.countedAt ?? record.countedAt;
    return this.#setTold(uid, { ...record, countedAt });
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
  take(): Batch | undefined {
    if (this.#sent !== undefined || !this.hasNews) return undefined;
    const { batchEvents, batchBytes, batchTold } = this.#limits;
    const events = takeSome(this.#waiting, {
      most: batchEvents,
      mostBytes: batchBytes,
      bytesOf: ({ event }) => event.body.byteLength,
    });
    const told = takeSome(this.#told, { most: batchTold });
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
    this.#waiting = new Map([...unsettled, ...this.#waiting]);
    if (!removed) this.#removals = new Set([...batch.removals, ...this.#removals]);
    this.#marks = new Map([...batch.marks, ...this.#marks]);
    if (!this.#forgetTold) {
      this.#told = new Map([...batch.told, ...this.#told]);
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
    this.#waiting = new Map([...this.#kept, ...this.#waiting]);
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

  #setTold(uid: string, record: ToldRecord | undefined): boolean {
    if (this.#toldOff) return true;
    this.#told.set(uid, record);
    if (this.#told.size <= this.#limits.waitingTold) return true;
    this.#giveUpTold();
    return false;
  }

  #giveUpTold(): void {
    this.forgetTold();
    this.#toldOff = true;
  }
}
