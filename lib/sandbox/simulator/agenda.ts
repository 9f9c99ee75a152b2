interface Entry {
  readonly dueMs: number;
  readonly order: number;
  readonly act: () => void;
}

/**
 * What is to happen, earliest first; of the same moment, first said first. Times are the simulator's own
 * milliseconds, which advance with every slot and know no wall clock: so the same seed gives the same history.
 */
export class Agenda {
  readonly #heap: Entry[] = [];
  #order = 0;

  add(dueMs: number, act: () => void): void {
    this.#order += 1;
    this.#heap.push({ dueMs, order: this.#order, act });
    this.#rise(this.#heap.length - 1);
  }

  /** Takes the earliest entry due by now; undefined when nothing is due yet. */
  take(nowMs: number): (() => void) | undefined {
    const [first] = this.#heap;
    if (first === undefined || first.dueMs > nowMs) return undefined;
    const last = this.#heap.pop();
    if (last !== undefined && last !== first) {
      this.#heap[0] = last;
      this.#sink(0);
    }
    return first.act;
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >>> 1;
      if (!this.#swapIfEarlier(at, parent)) return;
      at = parent;
    }
  }

  #sink(from: number): void {
    for (let at = from; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const child = this.#earlier(right, left) ? right : left;
      if (!this.#swapIfEarlier(child, at)) return;
      at = child;
    }
  }

  #swapIfEarlier(a: number, b: number): boolean {
    if (!this.#earlier(a, b)) return false;
    const [one, other] = [this.#heap[a], this.#heap[b]];
    if (one === undefined || other === undefined) return false;
    this.#heap[a] = other;
    this.#heap[b] = one;
    return true;
  }

  #earlier(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    if (one === undefined || other === undefined) return false;
    return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order);
  }
}
