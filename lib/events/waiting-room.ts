import { Heap } from './heap.ts';
import { LinkedList } from './linked-list.ts';
import type { OutgoingEvent } from './outgoing.ts';
import { isProgress, type Source, type Waiting } from './waiting.ts';

interface WaitingRoomLimits {
  readonly maxEvents: number;
  readonly maxBytes: number;
}

/**
 * What waits: events in order by source and by age, counted, and which of them to part with first.
 *
 * Every operation costs at most the logarithm of what waits. When a source's events go, so does the source.
 */
export class WaitingRoom {
  readonly #limits: WaitingRoomLimits;
  readonly #sources = new Map<string, Source>();
  readonly #byAge = new LinkedList<Waiting>();
  readonly #superseded = new Heap<Waiting>();
  #bytes = 0;
  #put = 0;

  constructor(limits: WaitingRoomLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#byAge.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get oldest(): Waiting | undefined {
    return this.#byAge.first?.value;
  }

  /** Whether an event of so many bytes could wait if everything else went. */
  couldTake(bytes: number): boolean {
    return this.#limits.maxEvents > 0 && bytes <= this.#limits.maxBytes;
  }

  /** Whether an event of so many bytes may wait beside what waits already. */
  hasRoomFor(bytes: number): boolean {
    return this.length < this.#limits.maxEvents && this.#bytes + bytes <= this.#limits.maxBytes;
  }

  /** Puts an event behind the others of its source. */
  add(event: OutgoingEvent, nowMs: number): Waiting {
    const source = this.#sourceOf(event.source);
    const before = source.events.last?.value;
    this.#put += 1;
    const waiting: Waiting = {
      event,
      source,
      putAtMs: nowMs,
      ordinal: this.#put,
      attempts: 0,
      suspect: false,
      releases: 0,
      inFlight: false,
      postedAfter: 0,
      byAge: undefined,
      inSource: undefined,
      superseded: undefined,
    };
    waiting.byAge = this.#byAge.push(waiting);
    waiting.inSource = source.events.push(waiting);
    this.#bytes += event.body.byteLength;
    if (before !== undefined) this.#supersede(before);
    return waiting;
  }

  /** Takes an event out; gives whether its source is gone with it. */
  remove(waiting: Waiting): boolean {
    const { source, event } = waiting;
    if (waiting.byAge !== undefined) this.#byAge.remove(waiting.byAge);
    if (waiting.inSource !== undefined) source.events.remove(waiting.inSource);
    this.#keep(waiting);
    this.#bytes -= event.body.byteLength;
    if (source.events.size > 0) return false;
    this.#sources.delete(source.name);
    return true;
  }

  /** Marks an event as under way: it cannot be dropped to make room. */
  depart(waiting: Waiting): void {
    waiting.inFlight = true;
    this.#keep(waiting);
  }

  /** Marks an event as waiting again. */
  comeBack(waiting: Waiting): void {
    waiting.inFlight = false;
    if (waiting.inSource?.next !== undefined) this.#supersede(waiting);
  }

  /** The event to part with first: the oldest superseded `unknown` or `running`, else the oldest. */
  leastWanted(): Waiting | undefined {
    const superseded = this.#superseded.first;
    if (superseded !== undefined) return superseded.value;
    // Passes over as many as are in flight, at most.
    for (let link = this.#byAge.first; link !== undefined; link = link.next)
      if (!link.value.inFlight) return link.value;
    return undefined;
  }

  /** Everything that waits, oldest first; what is visited may be removed. */
  *all(): Generator<Waiting> {
    for (let link = this.#byAge.first; link !== undefined; ) {
      const { next } = link;
      yield link.value;
      link = next;
    }
  }

  #sourceOf(name: string): Source {
    const known = this.#sources.get(name);
    if (known !== undefined) return known;
    const source: Source = {
      name,
      events: new LinkedList(),
      inFlight: false,
      ready: undefined,
      due: undefined,
      heldUntilMs: 0,
    };
    this.#sources.set(name, source);
    return source;
  }

  #supersede(waiting: Waiting): void {
    if (waiting.inFlight || waiting.superseded !== undefined || !isProgress(waiting.event)) return;
    waiting.superseded = this.#superseded.push(waiting.ordinal, waiting);
  }

  #keep(waiting: Waiting): void {
    if (waiting.superseded !== undefined) this.#superseded.remove(waiting.superseded);
    waiting.superseded = undefined;
  }
}
