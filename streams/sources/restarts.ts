import { type BackoffPolicy, backoffDelay, noFailures, withFailure } from '../../lib/backoff.ts';
import type { KubeError, KubeFailure } from '../../lib/kube/api.ts';
import type { RestartCause } from '../../lib/metrics/own.ts';
import type { WatchSettings } from './watch-options.ts';

/** What is said and counted of a watch's troubles, and how long each makes it wait. */
export interface Restarts {
  /** Counts and says a failure; the milliseconds to wait. */
  failed(error: KubeError): number;
  /** The server ended a watch; the milliseconds to wait, 0 unless it had lasted less than a second. */
  ended(lastedMs: number): number;
  /** The server has spoken: says so once when a failure was said before. */
  contact(): void;
}

const causes: Partial<Record<KubeFailure, RestartCause>> = {
  expired: 'expired',
  future: 'expired',
  silent: 'silent',
  unreachable: 'unreachable',
  malformed: 'malformed',
};

/**
 * Answers of a server that is well: what to do about them is known, and every moment of waiting is one in which a run
 * may pass unseen. The share of the first delay that each waits; the same one again grows like any other.
 */
const quickly: ReadonlyMap<KubeFailure, number> = new Map([
  ['expired', 1],
  ['future', 1],
  ['absent', 0],
]);

/** A server may ask for any wait; a watch that slept for an hour would look dead. */
const longestWaitMs = 300_000;

/** Client-go calls a watch very short below this; one after another would be a busy loop. */
const shortMs = 1000;

/**
 * The restarts of one watched resource. The first trouble of a kind is a warning, its repeats are for debugging
 * until it has stayed away for as long as back-off takes to start over, and its end is told once.
 */
export function createRestarts(options: WatchSettings<unknown>): Restarts {
  const { resourceLabel: resource, measure, log, random, now, backoff } = options;
  let failures = noFailures;
  let saidAtMs = new Map<string, number>();
  let inTrouble = false;
  let last: KubeFailure | undefined;

  const grownDelay = () => {
    failures = withFailure(backoff, failures, now());
    return backoffDelay(backoff, failures.count, random());
  };
  const delayAfter = ({ failure, retryAfterMs = 0 }: KubeError) => {
    const share = failure === last ? undefined : quickly.get(failure);
    last = failure;
    if (share !== undefined) return backoffDelay(backoff, 1, random()) * share;
    return Math.max(grownDelay(), Math.min(retryAfterMs, longestWaitMs));
  };
  const isNews = (trouble: string) => {
    const known = saidAtMs.get(trouble);
    saidAtMs = recent(saidAtMs, backoff, now()).set(trouble, now());
    return known === undefined || now() - known > backoff.resetAfterMs;
  };

  return {
    failed(error) {
      const cause = causes[error.failure] ?? 'refused';
      measure.count('watch_restarts_total', { resource, cause });
      measure.set('resource_synced', 0, { resource });
      const delayMs = delayAfter(error);
      const fields = { resource, cause, delayMs: Math.round(delayMs), problem: error.message };
      const news = isNews(error.failure);
      inTrouble ||= news;
      log[news ? 'warn' : 'debug'](fields, 'a watch failed and is tried again');
      return delayMs;
    },
    ended(lastedMs) {
      measure.count('watch_restarts_total', { resource, cause: 'ended' });
      const delayMs = lastedMs < shortMs ? grownDelay() : 0;
      const news = delayMs > 0 && isNews('short');
      inTrouble ||= news;
      const fields = { resource, cause: 'ended', delayMs: Math.round(delayMs), lastedMs };
      log[news ? 'warn' : 'debug'](fields, 'the API server ended a watch, it is opened again');
      return delayMs;
    },
    contact() {
      measure.set('watch_last_contact_timestamp_seconds', now() / 1000, { resource });
      if (!inTrouble) return;
      inTrouble = false;
      log.info({ resource }, 'the watch is back');
    },
  };
}

function recent(saidAtMs: ReadonlyMap<string, number>, { resetAfterMs }: BackoffPolicy, nowMs: number) {
  return new Map([...saidAtMs].filter(([, atMs]) => nowMs - atMs <= resetAfterMs));
}
