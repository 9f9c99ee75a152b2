import type { Slot } from './heap.ts';
import type { Link, LinkedList } from './linked-list.ts';
import type { OutgoingEvent } from './outgoing.ts';

/** One event in the queue, with its places in the lists and heaps that order it. */
export interface Waiting {
  readonly event: OutgoingEvent;
  readonly source: Source;
  readonly putAtMs: number;
  /** Grows with every event put: the age to compare by. */
  readonly ordinal: number;
  attempts: number;
  /** Failed while the sink took events of other sources. */
  suspect: boolean;
  /** How often a closing circuit sent it off at once. */
  releases: number;
  inFlight: boolean;
  /** 2xx answers seen when it was last posted. */
  postedAfter: number;
  byAge: Link<Waiting> | undefined;
  inSource: Link<Waiting> | undefined;
  /** Its place among the superseded, while it may be dropped first. */
  superseded: Slot<Waiting> | undefined;
}

/**
 * The events of one Ce-Source, in order.
 *
 * While it has any, the source is in exactly one of three places: in flight, ready, or due later.
 */
export interface Source {
  readonly name: string;
  readonly events: LinkedList<Waiting>;
  inFlight: boolean;
  ready: Link<Source> | undefined;
  due: Slot<Source> | undefined;
  /** What the sink asked for by Retry-After, ms since the epoch; 0 when nothing. */
  heldUntilMs: number;
}

/** Whether an event says only how far a run has come: a later one of the same run makes it old news. */
export function isProgress({ word }: OutgoingEvent): boolean {
  return word === 'unknown' || word === 'running';
}
