import { backoffDelay } from '../backoff.ts';
import type { DropCause } from '../metrics/own.ts';
import { Circuit } from './circuit.ts';
import type { DeliveryLimits } from './limits.ts';
import type { Attempt, OutgoingEvent } from './outgoing.ts';
import type { QueueState } from './queue-state.ts';
import { Turns } from './turns.ts';
import type { Source, Waiting } from './waiting.ts';
import { WaitingRoom } from './waiting-room.ts';

interface QueueOptions {
  readonly limits: DeliveryLimits;
  /** Uniform in [0, 1): the jitter of every delay. */
  readonly random: () => number;
  /** The sink took it: it may be forgotten everywhere. */
  readonly onAcknowledged: (event: OutgoingEvent) => void;
  /** It left without an acknowledgement. */
  readonly onDropped: (event: OutgoingEvent, cause: DropCause) => void;
}

/** How often a closing circuit sends the same event off at once; then it keeps its own back-off. */
const maxReleases = 2;

/**
 * Events on their way to the sink, in memory: who may be posted now, and what follows from an answer.
 *
 * Events of one source go in order, one at a time; sources take turns. It holds no timer and no clock: every method
 * that depends on time is given it, in ms. Every event put comes out once, as acknowledged or as dropped.
 */
export class DeliveryQueue {
  readonly #options: QueueOptions;
  readonly #room: WaitingRoom;
  readonly #turns = new Turns();
  readonly #circuit: Circuit<Source, Waiting>;
  readonly #inFlight = new Map<OutgoingEvent, Waiting>();
  #probe: Waiting | undefined;
  #failing = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#room = new WaitingRoom(options.limits);
    this.#circuit = new Circuit(options.limits, options.random);
  }

  get state(): QueueState {
    return {
      length: this.#room.length,
      bytes: this.#room.bytes,
      inFlight: this.#inFlight.size,
      failing: this.#failing,
      circuitOpen: this.#circuit.open,
      oldestPutAtMs: this.#room.oldest?.putAtMs,
    };
  }

  /** Adds an event behind its source's others. When full, the least wanted goes, else the event itself. */
  put(event: OutgoingEvent, nowMs: number): void {
    const bytes = event.body.byteLength;
    while (this.#room.couldTake(bytes) && !this.#room.hasRoomFor(bytes)) {
      const victim = this.#room.leastWanted();
      if (victim === undefined) break;
      this.#drop(victim, 'queue-full');
    }
    if (this.#room.hasRoomFor(bytes)) this.#turns.enter(this.#room.add(event, nowMs).source);
    else this.#options.onDropped(event, 'queue-full');
  }

  /** The event to post now, counted as in flight until it is settled or released; undefined when none may go. */
  take(nowMs: number): OutgoingEvent | undefined {
    this.#giveUp(nowMs);
    if (this.#inFlight.size >= this.#options.limits.maxInFlight) return undefined;
    const source = this.#circuit.open ? this.#probeSource(nowMs) : this.#nextSource(nowMs);
    const waiting = source?.events.first?.value;
    if (source === undefined || waiting === undefined) return undefined;
    this.#turns.leave(source);
    source.inFlight = true;
    waiting.postedAfter = this.#circuit.deliveries;
    this.#room.depart(waiting);
    this.#inFlight.set(waiting.event, waiting);
    if (this.#circuit.open) this.#probe = waiting;
    if (this.#circuit.open) this.#circuit.probing();
    return waiting.event;
  }

  /** Says what the attempt came to. An event that is not in flight is passed over. */
  settle(event: OutgoingEvent, attempt: Attempt, nowMs: number): void {
    const waiting = this.#inFlight.get(event);
    if (waiting === undefined) return;
    const probe = this.#land(waiting);
    if (attempt.outcome === 'failed') this.#failed(waiting, attempt.retryAfterMs, { nowMs, probe });
    else if (attempt.outcome === 'unencodable') this.#drop(waiting, 'unencodable');
    else this.#delivered(waiting, nowMs);
  }

  /** Puts an event in flight back where it was: the attempt was broken off and says nothing. */
  release(event: OutgoingEvent): void {
    const waiting = this.#inFlight.get(event);
    if (waiting === undefined) return;
    this.#land(waiting);
    this.#turns.toFront(waiting.source);
  }

  /** Drops one event that is in flight. */
  drop(event: OutgoingEvent, cause: DropCause): void {
    const waiting = this.#inFlight.get(event);
    if (waiting === undefined) return;
    this.#land(waiting);
    this.#drop(waiting, cause);
  }

  /** Drops everything that is not in flight; gives how many. */
  clear(cause: DropCause): number {
    let dropped = 0;
    for (const waiting of this.#room.all()) {
      if (waiting.inFlight) continue;
      this.#drop(waiting, cause);
      dropped += 1;
    }
    return dropped;
  }

  /** Forgets every failure: another sink is asked from now on. */
  startOver(): void {
    this.#circuit.reset();
    this.#probe = undefined;
    this.#failing = 0;
    for (const waiting of this.#room.all()) Object.assign(waiting, { attempts: 0, suspect: false, releases: 0 });
    this.#turns.hurry();
  }

  /** When `take` may next give an event without anything else happening; undefined when only an answer can help. */
  nextTakeMs(): number | undefined {
    if (this.#inFlight.size >= this.#options.limits.maxInFlight) return undefined;
    if (!this.#circuit.open) {
      return this.#inFlight.size < this.#circuit.inFlightLimit ? this.#turns.nextDueMs() : undefined;
    }
    const source = this.#probe === undefined ? this.#turns.nextProbe() : undefined;
    return source === undefined ? undefined : Math.max(this.#circuit.probeAtMs, source.heldUntilMs);
  }

  #nextSource(nowMs: number): Source | undefined {
    return this.#inFlight.size < this.#circuit.inFlightLimit ? this.#turns.next(nowMs) : undefined;
  }

  #probeSource(nowMs: number): Source | undefined {
    if (this.#probe !== undefined || nowMs < this.#circuit.probeAtMs) return undefined;
    const source = this.#turns.nextProbe();
    return source !== undefined && source.heldUntilMs <= nowMs ? source : undefined;
  }

  /** No longer in flight, and nothing else yet; gives whether it was the probe. */
  #land(waiting: Waiting): boolean {
    this.#inFlight.delete(waiting.event);
    waiting.source.inFlight = false;
    this.#room.comeBack(waiting);
    const probe = this.#probe === waiting;
    if (probe) this.#probe = undefined;
    return probe;
  }

  #failed(
    waiting: Waiting,
    askedMs: number | undefined,
    at: { readonly nowMs: number; readonly probe: boolean },
  ): void {
    const { limits, random } = this.#options;
    const { source, suspect } = waiting;
    const { nowMs, probe } = at;
    const retryAfterMs = askedMs === undefined ? undefined : Math.min(askedMs, limits.maxRetryAfterMs);
    waiting.attempts += 1;
    if (waiting.attempts === 1) this.#failing += 1;
    source.heldUntilMs = retryAfterMs === undefined ? 0 : nowMs + retryAfterMs;
    const delayMs = backoffDelay({ ...limits.backoff, resetAfterMs: 0 }, waiting.attempts, random());
    this.#turns.toDue(source, Math.max(nowMs + Math.ceil(delayMs), source.heldUntilMs));
    const current = waiting.postedAfter === this.#circuit.deliveries;
    if (current) this.#circuit.failed({ source, node: waiting, suspect, nowMs, retryAfterMs }, probe);
    this.#giveUp(nowMs);
  }

  #delivered(delivered: Waiting, nowMs: number): void {
    this.#remove(delivered);
    this.#releaseFailing(nowMs);
    this.#options.onAcknowledged(delivered.event);
  }

  #releaseFailing(nowMs: number): void {
    const { closed, failing } = this.#circuit.delivered(this.#inFlight.size);
    for (const [source, waiting] of failing) {
      // While the sink takes others, a failure is the event's own; after an outage it was the sink's.
      waiting.suspect = !closed || waiting.releases >= maxReleases;
      if (waiting.suspect || source.due === undefined || source.heldUntilMs > nowMs) continue;
      waiting.releases += 1;
      this.#turns.toReady(source);
    }
  }

  #giveUp(nowMs: number): void {
    const { giveUpAfterMs } = this.#options.limits;
    for (const waiting of this.#room.all()) {
      if (nowMs - waiting.putAtMs < giveUpAfterMs) return;
      if (!waiting.inFlight) this.#drop(waiting, 'gave-up');
    }
  }

  #drop(waiting: Waiting, cause: DropCause): void {
    this.#remove(waiting);
    this.#options.onDropped(waiting.event, cause);
  }

  #remove(waiting: Waiting): void {
    const { source } = waiting;
    if (waiting.attempts > 0) this.#failing -= 1;
    const gone = this.#room.remove(waiting);
    if (gone) this.#circuit.forget(source);
    if (gone) this.#turns.leave(source);
    else this.#turns.enter(source);
  }
}
