import { Heap } from './heap.ts';
import { LinkedList } from './linked-list.ts';
import type { Source } from './waiting.ts';

/** Whose turn it is: sources that are ready, one after the other, and sources that are due later. */
export class Turns {
  readonly #ready = new LinkedList<Source>();
  readonly #due = new Heap<Source>();

  /** The source whose turn it is by `nowMs`; it stays where it is. */
  next(nowMs: number): Source | undefined {
    for (let slot = this.#due.first; slot !== undefined && slot.key <= nowMs; slot = this.#due.first) {
      this.toReady(slot.value);
    }
    return this.#ready.first?.value;
  }

  /** The source to try a failing sink with: one that is ready, else the one due first, even before its time. */
  nextProbe(): Source | undefined {
    return this.#ready.first?.value ?? this.#due.first?.value;
  }

  /** When the next source is due; 0 when one is ready, undefined when none waits. */
  nextDueMs(): number | undefined {
    return this.#ready.size > 0 ? 0 : this.#due.first?.key;
  }

  /** Makes a source ready unless it is in flight or waits already. */
  enter(source: Source): void {
    if (!source.inFlight && source.ready === undefined && source.due === undefined) this.toReady(source);
  }

  /** Puts a source behind those that are ready. */
  toReady(source: Source): void {
    this.leave(source);
    source.ready = this.#ready.push(source);
  }

  /** Puts a source before those that are ready. */
  toFront(source: Source): void {
    this.leave(source);
    source.ready = this.#ready.unshift(source);
  }

  /** Lets a source wait until `dueMs`. */
  toDue(source: Source, dueMs: number): void {
    this.leave(source);
    source.due = this.#due.push(dueMs, source);
  }

  /** Takes a source out of whatever it waits in. */
  leave(source: Source): void {
    if (source.ready !== undefined) this.#ready.remove(source.ready);
    if (source.due !== undefined) this.#due.remove(source.due);
    source.ready = undefined;
    source.due = undefined;
  }

  /** Makes every source ready that waits for its time. */
  hurry(): void {
    for (let slot = this.#due.first; slot !== undefined; slot = this.#due.first) {
      slot.value.heldUntilMs = 0;
      this.toReady(slot.value);
    }
  }
}
