import { asyncScheduler, from, Observable, type SchedulerLike, Subject, type Subscriber, Subscription } from 'rxjs';
import { deliveryLimits } from '../../lib/events/limits.ts';
import type { Attempt, OutgoingEvent } from '../../lib/events/outgoing.ts';
import { DeliveryQueue } from '../../lib/events/queue.ts';
import type { DropCause } from '../../lib/metrics/own.ts';
import type { DeliverOptions, DeliveryNote, SinkState } from './delivery.ts';
import { deliveryGauges } from './delivery-gauges.ts';
import { type DeliveryLog, deliveryLog } from './delivery-log.ts';
import { SinkLine } from './sink-line.ts';

/** While a post may not begin, how long until that is asked again: nothing else might. */
const askAgainMs = 100;

/** After a change of sink, what is in flight to the old one has this long to finish. */
const oldSinkGraceMs = 1000;

const noAnswer: Attempt = {
  outcome: 'failed',
  result: 'broken',
  problem: 'the post ended without an answer',
  retryAfterMs: undefined,
};

/** The state behind `deliver`: a queue, a sink, the posts under way and at most one timer. */
export class Courier {
  queue: DeliveryQueue;
  readonly scheduler: SchedulerLike;
  readonly #options: DeliverOptions;
  readonly #log: DeliveryLog;
  readonly #gauges: ReturnType<typeof deliveryGauges>;
  readonly #pumped$ = new Subject<void>();
  #subscriber: Subscriber<DeliveryNote> | undefined;
  #running = new Subscription();
  /** The posts under way: a set, as a subscription looks through all its parts at each that ends. */
  readonly #answering = new Set<Subscription>();
  #sink: SinkState = { state: 'paused' };
  /** Where events go; kept while paused, undefined while there is no sink. */
  #line: SinkLine | undefined;
  #timer: { readonly atMs: number; readonly subscription: Subscription } | undefined;
  #pumping = false;
  #inputEnded = false;
  #closed = false;

  constructor(options: DeliverOptions) {
    this.#options = options;
    this.scheduler = options.scheduler ?? asyncScheduler;
    this.#log = deliveryLog(options.log);
    this.#gauges = deliveryGauges(options.measure, options.limits ?? deliveryLimits);
    this.queue = this.#emptyQueue();
    this.publish();
  }

  /** Begins; gives what ends it. */
  start(subscriber: Subscriber<DeliveryNote>): () => void {
    const { event$, sink$ } = this.#options;
    const error = (problem: unknown) => subscriber.error(problem);
    const complete = () => {
      this.#inputEnded = true;
      this.#pump();
    };
    this.#subscriber = subscriber;
    this.#running.add(sink$.subscribe({ next: (sink) => this.#switchTo(sink), error }));
    this.#running.add(event$.subscribe({ next: (events) => this.#put(events), error, complete }));
    return () => this.#stop();
  }

  /** Writes the gauges: when somebody reads them, not at each event. */
  publish(): void {
    this.#gauges(this.queue.state, this.#line !== undefined, this.scheduler.now());
  }

  /** Says when nothing is in flight and nothing may go now: at once if so, else after the posts that lead there. */
  idle$(): Observable<void> {
    return new Observable((subscriber) => {
      const look = () => {
        const nextMs = this.queue.nextTakeMs();
        const later = nextMs === undefined || nextMs > this.scheduler.now() || this.#sink.state !== 'sink';
        if (this.queue.state.inFlight === 0 && later) subscriber.next();
      };
      const looking = this.#pumped$.subscribe(look);
      look();
      return looking;
    });
  }

  /** Gives up on everything that waits and will come; gives how many events waited. */
  abandon(): number {
    const left = this.queue.state.length;
    this.#closed = true;
    this.#sink = { state: 'paused' };
    this.#line?.end();
    this.queue.clear('shutdown');
    if (left > 0) this.#log.leftAtShutdown(left);
    this.#pump();
    return left;
  }

  #emptyQueue(): DeliveryQueue {
    const { limits = deliveryLimits, random = Math.random } = this.#options;
    return new DeliveryQueue({
      limits,
      random,
      onAcknowledged: (event) => this.#acknowledged(event),
      onDropped: (event, cause) => this.#dropped(event, cause),
    });
  }

  /** Breaks off what is in flight and forgets what waits: whoever goes on from the checkpoint owes it now. */
  #stop(): void {
    this.#running.unsubscribe();
    for (const answering of [...this.#answering]) answering.unsubscribe();
    this.#line?.end();
    this.#line = undefined;
    this.#timer?.subscription.unsubscribe();
    this.queue = this.#emptyQueue();
    this.publish();
    // A drain under way waits for nothing any more.
    this.#pumped$.next();
  }

  #put(events: readonly OutgoingEvent[]): void {
    const nowMs = this.scheduler.now();
    for (const event of events) {
      // Unsubscribed by whoever heard of the event before.
      if (this.#running.closed) return;
      if (this.#closed) this.#dropped(event, 'shutdown');
      else if (this.#sink.state === 'none') this.#subscriber?.next({ outcome: 'not-queued', event });
      else this.queue.put(event, nowMs);
    }
    this.#pump();
  }

  #switchTo(sink: SinkState): void {
    if (sink.state === 'none' && this.#sink.state !== 'none') this.#sinkRemoved();
    if (sink.state === 'sink' && this.#line?.url !== sink.url) this.#newSink(sink.url);
    this.#sink = sink;
    if (sink.state === 'paused' && sink.breakOff === true) this.#breakOff();
    this.#pump();
  }

  /** Ends what is in flight; each goes again, to the same sink, when there is leave to. */
  #breakOff(): void {
    const line = this.#line;
    if (line === undefined) return;
    this.#line = new SinkLine(line.url);
    line.end();
  }

  #newSink(url: string): void {
    this.#retireLine();
    this.#line = new SinkLine(url);
    this.queue.startOver();
    this.#log.startOver();
  }

  #sinkRemoved(): void {
    this.#retireLine();
    this.#line = undefined;
    this.#log.removed(this.queue.clear('sink-removed'));
  }

  #retireLine(): void {
    const line = this.#line;
    if (line === undefined || this.queue.state.inFlight === 0) return;
    this.#running.add(this.scheduler.schedule(() => line.end(), oldSinkGraceMs));
  }

  #pump(): void {
    if (this.#pumping || this.#running.closed) return;
    this.#pumping = true;
    while (this.#sink.state === 'sink' && this.#line !== undefined && this.#mayPost()) {
      const event = this.queue.take(this.scheduler.now());
      if (event === undefined) break;
      this.#send(event, this.#line);
    }
    this.#pumping = false;
    this.#arm();
    this.#pumped$.next();
    if (this.#inputEnded && this.queue.state.length === 0) this.#subscriber?.complete();
  }

  #arm(): void {
    const atMs = this.#nextPostMs();
    if (atMs === this.#timer?.atMs) return;
    this.#timer?.subscription.unsubscribe();
    this.#timer = undefined;
    if (atMs === undefined) return;
    const delayMs = Math.max(0, atMs - this.scheduler.now());
    this.#timer = { atMs, subscription: this.scheduler.schedule(() => this.#timeUp(), delayMs) };
  }

  /** When to look again whether something may go; undefined when that will be said from outside. */
  #nextPostMs(): number | undefined {
    const atMs = this.#sink.state === 'sink' ? this.queue.nextTakeMs() : undefined;
    return atMs === undefined || this.#mayPost() ? atMs : Math.max(atMs, this.scheduler.now() + askAgainMs);
  }

  #mayPost(): boolean {
    return this.#options.mayPost?.() ?? true;
  }

  #timeUp(): void {
    this.#timer = undefined;
    this.#pump();
  }

  #send(event: OutgoingEvent, line: SinkLine): void {
    const settle = line.expect((attempt) => {
      if (attempt !== undefined && (line === this.#line || attempt.outcome === 'delivered'))
        this.#settle(event, attempt);
      // Nothing that a former sink refuses, or has no time left for, is held against the next.
      else if (this.#sink.state === 'none') this.queue.drop(event, 'sink-removed');
      else this.queue.release(event);
      this.#pump();
    });
    const unanswered = () => settle(noAnswer);
    const answer$ = from(this.#options.post(event, line.url, line.signal));
    const answering = answer$.subscribe({ next: settle, error: unanswered, complete: unanswered });
    this.#answering.add(answering);
    answering.add(() => {
      line.forget(settle);
      this.#answering.delete(answering);
    });
  }

  #settle(event: OutgoingEvent, attempt: Attempt): void {
    const before = this.queue.state;
    if (attempt.outcome !== 'unencodable') {
      const result = attempt.outcome === 'delivered' ? '2xx' : attempt.result;
      this.#options.measure.count('event_delivery_attempts_total', { result });
    }
    this.queue.settle(event, attempt, this.scheduler.now());
    this.#log.attempted(event, attempt, before, this.queue.state);
  }

  #acknowledged(event: OutgoingEvent): void {
    const { measure, wallMs = () => this.scheduler.now() } = this.#options;
    measure.count('event_deliveries_total');
    measure.observe('event_delivery_lag_seconds', Math.max(0, wallMs() - event.timeMs) / 1000);
    this.#subscriber?.next({ outcome: 'acknowledged', event });
  }

  #dropped(event: OutgoingEvent, cause: DropCause): void {
    this.#options.measure.count('event_drops_total', { cause });
    this.#log.dropped(event, cause);
    if (cause !== 'shutdown') this.#subscriber?.next({ outcome: 'dropped', event, cause });
  }
}
