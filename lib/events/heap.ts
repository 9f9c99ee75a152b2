/** One place in a `Heap`; `index` is where it stands now. */
export interface Slot<T> {
  readonly value: T;
  readonly key: number;
  index: number;
}

/** Values by number, the smallest first; adding and taking out, from anywhere, cost the logarithm of the size. */
export class Heap<T> {
  readonly #slots: Slot<T>[] = [];

  get first(): Slot<T> | undefined {
    return this.#slots[0];
  }

  get size(): number {
    return this.#slots.length;
  }

  /** Adds a value; the slot is what `remove` takes. */
  push(key: number, value: T): Slot<T> {
    const slot: Slot<T> = { value, key, index: this.#slots.length };
    this.#slots.push(slot);
    this.#rise(slot);
    return slot;
  }

  /** Takes a slot out; it must be in this heap. */
  remove(slot: Slot<T>): void {
    const last = this.#slots.pop();
    if (last === undefined || last === slot) return;
    this.#place(last, slot.index);
    this.#rise(last);
    this.#sink(last);
  }

  #rise(slot: Slot<T>): void {
    while (slot.index > 0) {
      const parent = this.#slots[(slot.index - 1) >> 1];
      if (parent === undefined || parent.key <= slot.key) return;
      this.#swap(parent, slot);
    }
  }

  #sink(slot: Slot<T>): void {
    for (;;) {
      const left = this.#slots[2 * slot.index + 1];
      const right = this.#slots[2 * slot.index + 2];
      const child = right !== undefined && left !== undefined && right.key < left.key ? right : left;
      if (child === undefined || slot.key <= child.key) return;
      this.#swap(slot, child);
    }
  }

  #swap(upper: Slot<T>, lower: Slot<T>): void {
    const { index } = upper;
    this.#place(upper, lower.index);
    this.#place(lower, index);
  }

  #place(slot: Slot<T>, index: number): void {
    slot.index = index;
    this.#slots[index] = slot;
  }
}
