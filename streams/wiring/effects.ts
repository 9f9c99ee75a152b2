import { finalize, firstValueFrom, type Observable, tap } from 'rxjs';
import type { RunOptions } from '../../config/process/run-options.ts';
import { givenUpKubeEvent, type Reporter } from '../../lib/events/kube-event.ts';
import { type DeliveryLimits, deliveryLimits } from '../../lib/events/limits.ts';
import type { OutgoingEvent } from '../../lib/events/outgoing.ts';
import type { EventRecorder } from '../../lib/io/kube/event-recorder.ts';
import type { Metrics } from '../../lib/io/metrics/metrics.ts';
import type { Sink } from '../../lib/io/sink/create-sink.ts';
import { uuid5 } from '../../lib/io/uuid5.ts';
import type { Log } from '../../lib/log.ts';
import type { Effects, WatchedNote } from '../controller.ts';
import { deliver } from '../pipelines/deliver.ts';
import type { Delivery, DeliveryNote, SinkState } from '../pipelines/delivery.ts';
import { recordKubeEvents } from '../pipelines/record-kube-events.ts';
import type { Durability } from './outbox.ts';
import { outgoingOf } from './outgoing-of.ts';
import type { Status } from './status.ts';
import { steadyScheduler } from './steady-scheduler.ts';
import type { Telemetry } from './telemetry.ts';
import type { Terms } from './terms.ts';

interface Options {
  readonly options: RunOptions;
  readonly metrics: Metrics;
  readonly sink: Pick<Sink, 'post'>;
  readonly recorder: Pick<EventRecorder, 'record' | 'recordAbout'>;
  readonly reporter: Reporter;
  readonly terms: Terms;
  /** Undefined without a data dir. */
  readonly durability?: Durability | undefined;
  readonly telemetry: Pick<Telemetry, 'trace' | 'traceparent' | 'spanOf' | 'refresh'>;
  readonly status: Status;
  readonly log: Log;
}

/** The effects, and what belongs to the delivery under way. */
interface WiredEffects extends Effects {
  /** Writes the gauges that are not written as they change; call it before they are read. */
  refresh(): void;
  /** Gives the sink so many ms to take what waits; how many events were left. */
  drain(graceMs: number): Promise<number>;
}

/** Everything the controller does to the world. */
export function effectsOf(options: Options): WiredEffects {
  const { metrics, terms, status, durability } = options;
  const { telemetry } = options;
  const outgoing = outgoingOf(options.options.profile, telemetry.traceparent);
  let delivery: Delivery | undefined;
  return {
    metrics: {
      ...metrics,
      record: (step) => {
        metrics.record(step, telemetry.spanOf);
        telemetry.trace(step);
      },
    },
    outgoing: (step) => (durability === undefined ? outgoing(step) : outgoing(step).filter(durability.isNews)),
    deliver: (event$, sink$) => {
      const begun = deliveryTo(options, event$, sink$);
      delivery = begun;
      return begun.note$.pipe(
        tap((note) => {
          durability?.noted(note);
          settle(note, options);
        }),
        finalize(() => {
          // It holds what the term began with, bodies and all.
          if (delivery === begun) delivery = undefined;
        }),
      );
    },
    recordKubeEvents: (step$) => recordKubeEvents(step$, recordOptionsOf(options)),
    progress: (watched, events) => {
      durability?.progress(watched, events);
      follow(terms, watched, events);
      // What a list was the baseline of must outlive us from now on, not from the next renewal of the lease on.
      if (watched.note.type === 'listed' && status.sync?.allSynced()) terms.save();
    },
    mayAct: terms.mayAct,
    onSync: (sync) => {
      status.sync = sync;
    },
    refresh: () => {
      telemetry.refresh();
      delivery?.refresh();
    },
    drain: async (graceMs) => (delivery === undefined ? 0 : firstValueFrom(delivery.drain(graceMs))),
  };
}

function deliveryTo(
  { options, metrics: { measure }, sink, terms: { mayAct: mayPost }, log }: Options,
  event$: Observable<readonly OutgoingEvent[]>,
  sink$: Observable<SinkState>,
): Delivery {
  const times = { scheduler: steadyScheduler, wallMs: Date.now };
  return deliver({ event$, sink$, post: sink.post, mayPost, limits: limitsOf(options), measure, log, ...times });
}

/** An event that left the queue is settled; one that was given up is told to whoever describes the run. */
function settle(note: DeliveryNote, { terms, recorder, reporter }: Options): void {
  terms.book()?.settled(note.event);
  if (note.outcome !== 'dropped' || note.cause !== 'gave-up') return;
  const [, , group = '', version = ''] = note.event.source.split('/');
  const resourceType = { group, version, kind: note.event.kind };
  void recorder.record(givenUpKubeEvent(note.event, { resourceType, uuid5, reporter, nowMs: Date.now() }));
}

function limitsOf(options: RunOptions): DeliveryLimits {
  return {
    ...deliveryLimits,
    maxEvents: options.queueLimit,
    maxBytes: options.queueLimitBytes,
    maxInFlight: options.sinkConcurrency,
    backoff: { initialMs: options.sinkBackoffInitialMs, maxMs: options.sinkBackoffMaxMs, factor: 2 },
    maxRetryAfterMs: options.sinkRetryAfterMaxMs,
    giveUpAfterMs: options.sinkGiveUpMs,
  };
}

function recordOptionsOf({ options: { profile }, recorder, reporter }: Options) {
  return { profile, record: recorder.recordAbout, reporter, uuid5, now: Date.now };
}

/** What is owed is known to the checkpoint before the watch counts as having come so far. */
function follow(terms: Terms, { watch: { key }, note }: WatchedNote, events: readonly OutgoingEvent[]): void {
  const book = terms.book();
  if (book === undefined || note.type === 'absent') return;
  if (note.type === 'step') {
    if (note.step.after !== undefined) book.observed(note.step.after);
    book.owes(key, events);
  }
  const reached = note.type === 'step' ? note.reached : note.resourceVersion;
  if (note.type === 'listed') book.listed(key, note.resourceVersion);
  else if (reached !== undefined) book.reached(key, reached);
}
