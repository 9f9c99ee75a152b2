import { asyncScheduler, filter, type Observable, retry, switchMap, take, timer } from 'rxjs';
import { backoffDelay, noFailures, watchBackoff, withFailure } from '../lib/backoff.ts';
import type { OutgoingEvent } from '../lib/events/outgoing.ts';
import type { Role } from '../lib/leader/lease.ts';
import type { Log } from '../lib/log.ts';
import type { Measure } from '../lib/metrics/own.ts';
import type { RunWatch } from './sources/run-watches.ts';

/** What a term of leading begins with. */
export interface Term {
  readonly watches: readonly RunWatch[];
  /** Events that the term before left unacknowledged: one value, then complete. They go before any new one. */
  readonly pending$: Observable<readonly OutgoingEvent[]>;
}

export interface LeadOptions {
  /** Its first value says that a term may begin. */
  readonly settings$: Observable<unknown>;
  readonly role$: Observable<Role>;
  /** Begins a term of leading; asked each time. */
  readonly begin: () => Term;
  readonly measure: Measure;
  readonly log: Log;
  /** Uniform in [0, 1); default Math.random. */
  readonly random?: () => number;
}

type Watch = (watches: readonly RunWatch[], pending: readonly OutgoingEvent[]) => Observable<unknown>;

/** One term after the other for as long as it is subscribed to: one that errors is followed by the next, after a pause. */
export function lead(options: LeadOptions, watchAll: Watch): Observable<unknown> {
  const { settings$, role$ } = options;
  const pauseAfter = pauses(options);
  const leading$ = role$.pipe(
    filter((role) => role === 'leading'),
    take(1),
  );
  return settings$.pipe(
    take(1),
    switchMap(() => runTerm(options.begin(), watchAll)),
    retry({ delay: (error) => pauseAfter(error).pipe(switchMap(() => leading$)) }),
  );
}

function runTerm({ watches, pending$ }: Term, watchAll: Watch): Observable<unknown> {
  return pending$.pipe(switchMap((pending) => watchAll(watches, pending)));
}

/**
 * What it costs when a term breaks: a pause that grows from one to the next, and starts over after quiet.
 *
 * A bug breaks it, and so does more than may wait while the lease has lapsed: that is read again, and not lost.
 */
function pauses({ measure, log, random = Math.random }: LeadOptions): (error: unknown) => Observable<unknown> {
  let failures = noFailures;
  return (error) => {
    failures = withFailure(watchBackoff, failures, asyncScheduler.now());
    const delayMs = backoffDelay(watchBackoff, failures.count, random());
    measure.count('term_restarts_total');
    log.error({ problem: String(error), delayMs: Math.round(delayMs) }, 'the watches begin again from the checkpoint');
    return timer(delayMs);
  };
}
