/** One place in a `LinkedList`: what it holds, and its neighbours. */
export interface Link<T> {
  readonly value: T;
  previous: Link<T> | undefined;
  next: Link<T> | undefined;
}

/**
 * A list that takes and gives at both ends, and from the middle by link, in constant time.
 *
 * An array shifted from the front moves everything behind it: 150,000 waiting events would cost seconds.
 */
export class LinkedList<T> {
  #first: Link<T> | undefined;
  #last: Link<T> | undefined;
  #size = 0;

  get first(): Link<T> | undefined {
    return this.#first;
  }

  get last(): Link<T> | undefined {
    return this.#last;
  }

  get size(): number {
    return this.#size;
  }

  /** Puts a value at the end. */
  push(value: T): Link<T> {
    const link: Link<T> = { value, previous: this.#last, next: undefined };
    if (this.#last === undefined) this.#first = link;
    else this.#last.next = link;
    this.#last = link;
    this.#size += 1;
    return link;
  }

  /** Puts a value at the front. */
  unshift(value: T): Link<T> {
    const link: Link<T> = { value, previous: undefined, next: this.#first };
    if (this.#first === undefined) this.#last = link;
    else this.#first.previous = link;
    this.#first = link;
    this.#size += 1;
    return link;
  }

  /** Takes a link out; it must be in this list. */
  remove({ previous, next }: Link<T>): void {
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    this.#size -= 1;
  }
}
