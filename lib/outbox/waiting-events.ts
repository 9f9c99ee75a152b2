import type { OutgoingEvent } from '../events/outgoing.ts';
import type { BufferLimits } from './batch.ts';
import type { KeptEvent } from './outbox.ts';
import { eventKey } from './records.ts';
import { takeSome } from './take-some.ts';

/** An event that is not on disk. */
interface WaitingEvent extends KeptEvent {
  /** The watch that owes it. */
  readonly watch: string;
  /** Since when it waits, ms of a clock that nobody puts back. */
  readonly sinceMs: number;
}

/**
 * Which of the waiting events a batch takes: the first, the last, or, where they are too many for one batch, no more of
 * each watch than the checkpoint may list beside its mark.
 */
export type Portion = 'oldest' | 'newest' | 'beside-mark';

/**
 * What the Lease's mark may pass, 100 of each watch: after a kill such a run is read and not observed again, and it may
 * be gone by then. No mark has passed the others.
 */
const besideMark = 100;

/** The events that wait for the disk, in the order they were put, and whose runs' they are. */
export class WaitingEvents {
  #events = new Map<string, WaitingEvent>();
  /** How many wait of each run, by uid. */
  readonly #ofRun = new Map<string, number>();

  get size(): number {
    return this.#events.size;
  }

  /** Since when the one waits that waits longest; undefined where none does. */
  get oldestSinceMs(): number | undefined {
    for (const { sinceMs } of this.#events.values()) return sinceMs;
    return undefined;
  }

  values(): IterableIterator<WaitingEvent> {
    return this.#events.values();
  }

  ofRun(uid: string): boolean {
    return this.#ofRun.has(uid);
  }

  put(waiting: WaitingEvent): void {
    const { size } = this.#events;
    this.#events.set(eventKey(waiting.event), waiting);
    // Put again, it keeps its place.
    if (this.#events.size > size) this.#add(waiting.event);
  }

  /** Adds events that waited already, before all others and as if for ever: what failed once is not put off again. */
  putBack(events: Iterable<readonly [string, KeptEvent]>): void {
    const later = this.#events;
    const back = [...events].filter(([key]) => !later.has(key));
    const first = back.map(([key, one]) => [key, { ...one, watch: '', sinceMs: Number.NEGATIVE_INFINITY }] as const);
    for (const [, one] of first) this.#add(one.event);
    this.#events = new Map([...first, ...later]);
  }

  /** Whether it waited, and was the last of its run. */
  delete(key: string, { uid }: OutgoingEvent): boolean {
    return this.#events.delete(key) && this.#subtract(uid);
  }

  /** Takes out a batch of them, which keep their order; `onLast` hears of each run of which none waits any more. */
  take(
    portion: Portion,
    { batchEvents, batchBytes }: BufferLimits,
    onLast: (uid: string) => void,
  ): Map<string, WaitingEvent> {
    const from = this.size <= batchEvents ? this.#events : this.#part(portion, batchEvents);
    const taken = takeSome(from, {
      most: batchEvents,
      mostBytes: batchBytes,
      bytesOf: ({ event }) => event.body.byteLength,
    });
    for (const [key, { event }] of taken) {
      this.#events.delete(key);
      if (this.#subtract(event.uid)) onLast(event.uid);
    }
    return taken;
  }

  #part(portion: Portion, batchEvents: number): Map<string, WaitingEvent> {
    if (portion === 'oldest') return this.#events;
    if (portion === 'newest') return new Map(this.#events.entries().drop(this.size - batchEvents));
    const ofWatch = new Map<string, number>();
    const isFirst = ([, { watch }]: readonly [string, WaitingEvent]) => {
      const before = ofWatch.get(watch) ?? 0;
      ofWatch.set(watch, before + 1);
      return before < besideMark;
    };
    return new Map(this.#events.entries().filter(isFirst));
  }

  #add({ uid }: OutgoingEvent): void {
    this.#ofRun.set(uid, (this.#ofRun.get(uid) ?? 0) + 1);
  }

  /** Whether it was the last of its run. */
  #subtract(uid: string): boolean {
    const left = (this.#ofRun.get(uid) ?? 1) - 1;
    if (left === 0) return this.#ofRun.delete(uid);
    this.#ofRun.set(uid, left);
    return false;
  }
}
