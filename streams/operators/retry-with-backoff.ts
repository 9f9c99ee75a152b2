import { asyncScheduler, defer, type MonoTypeOperatorFunction, retry, timer } from 'rxjs';
import { type BackoffPolicy, backoffDelay, noFailures, withFailure } from '../../lib/backoff.ts';

interface Options {
  /** Called before each wait; the place for a log line or a counter. */
  readonly onRetry: (error: unknown, delayMs: number) => void;
  /** Uniform in [0, 1); default Math.random. */
  readonly random?: () => number;
}

/**
 * Resubscribes after an error, forever, with growing delays.
 *
 * The count restarts after a quiet spell, not after the first value. It begins at subscription, so that two
 * subscribers do not share it; completion passes through.
 */
export function retryWithBackoff<T>(
  policy: BackoffPolicy,
  { onRetry, random = Math.random }: Options,
): MonoTypeOperatorFunction<T> {
  return (source$) =>
    defer(() => {
      let failures = noFailures;
      return source$.pipe(
        retry({
          delay: (error) => {
            failures = withFailure(policy, failures, asyncScheduler.now());
            const delayMs = backoffDelay(policy, failures.count, random());
            onRetry(error, delayMs);
            return timer(delayMs);
          },
        }),
      );
    });
}
