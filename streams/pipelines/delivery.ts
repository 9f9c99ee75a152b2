import type { Observable, ObservableInput, SchedulerLike } from 'rxjs';
import type { DeliveryLimits } from '../../lib/events/limits.ts';
import type { Attempt, OutgoingEvent } from '../../lib/events/outgoing.ts';
import type { QueueState } from '../../lib/events/queue-state.ts';
import type { Log } from '../../lib/log.ts';
import type { DropCause, Measure } from '../../lib/metrics/own.ts';

/**
 * Where events go now: to a URL, nowhere for a while (they wait), or nowhere (they are not kept).
 *
 * A pause lets what is in flight end as it would, unless `breakOff` says that we may not even do that.
 */
export type SinkState =
  | { readonly state: 'sink'; readonly url: string }
  | { readonly state: 'paused'; readonly breakOff?: boolean }
  | { readonly state: 'none' };

/**
 * What became of an event; each that came in leaves with exactly one note.
 *
 * Not so what is left at shutdown: nothing has become of it, and a checkpoint must not pass it.
 */
export type DeliveryNote =
  | { readonly outcome: 'acknowledged'; readonly event: OutgoingEvent }
  | { readonly outcome: 'dropped'; readonly event: OutgoingEvent; readonly cause: DropCause }
  /** No sink was configured when it came. */
  | { readonly outcome: 'not-queued'; readonly event: OutgoingEvent };

export interface DeliverOptions {
  readonly event$: Observable<readonly OutgoingEvent[]>;
  /** Events wait until its first value. */
  readonly sink$: Observable<SinkState>;
  /** One attempt; an error, or an end without a value, says that it was broken off. */
  readonly post: (event: OutgoingEvent, url: string, signal: AbortSignal) => ObservableInput<Attempt>;
  /**
   * Whether a post may begin at this very moment; default always. Asked before each, because a process that was
   * stopped finds answers in its sockets before any timer tells it how late it is.
   */
  readonly mayPost?: () => boolean;
  readonly measure: Measure;
  readonly log: Log;
  readonly limits?: DeliveryLimits;
  /** Uniform in [0, 1); default Math.random. */
  readonly random?: () => number;
  /** Clock and timers; default asyncScheduler. */
  readonly scheduler?: SchedulerLike;
  /** The time of day, which events' times are compared with; default the scheduler's. */
  readonly wallMs?: () => number;
}

export interface Delivery {
  /**
   * Subscribing starts delivery, unsubscribing breaks off what is in flight and forgets what waits. Completes when
   * `event$` has and nothing waits; errors when `event$` or `sink$` does. For one subscriber.
   */
  readonly note$: Observable<DeliveryNote>;
  /** Writes the gauges as they are now; call it before they are read. */
  refresh(): void;
  state(): QueueState;
  /**
   * Gives the sink up to `graceMs` to take what waits, then drops the rest with cause `shutdown`. Emits how many that
   * were and completes; sooner when all that is left waits for a back-off. Nothing is posted after it.
   */
  drain(graceMs: number): Observable<number>;
}
