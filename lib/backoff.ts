/** How long to wait between attempts. All times in milliseconds. */
export interface BackoffPolicy {
  readonly initialMs: number;
  readonly maxMs: number;
  readonly factor: number;
  /** A failure this long after the previous one starts again from `initialMs`. */
  readonly resetAfterMs: number;
}

/**
 * Gentle on a struggling API server: about four attempts a minute once it stays down.
 *
 * Bounds: client-go `tools/cache/reflector.go`, constants `defaultBackoff*`.
 */
export const watchBackoff: BackoffPolicy = { initialMs: 800, maxMs: 30_000, factor: 2, resetAfterMs: 120_000 };

/**
 * Delay before attempt `n` (1 for the first retry), with full jitter: anywhere from 0 to the grown
 * bound, so that many clients do not retry in step. `random` is uniform in [0, 1).
 */
export function backoffDelay({ initialMs, maxMs, factor }: BackoffPolicy, n: number, random: number): number {
  return Math.min(maxMs, initialMs * factor ** (n - 1)) * random;
}

/** Failures in a row, as far as back-off cares. */
export interface Failures {
  /** The `n` that `backoffDelay` takes; 0 before the first failure. */
  readonly count: number;
  readonly lastAtMs: number;
}

export const noFailures: Failures = { count: 0, lastAtMs: Number.NEGATIVE_INFINITY };

/**
 * The failures with one more at `nowMs`: one again after a quiet spell, however well things went in between.
 *
 * Success alone does not start over: a watch that lists well and then drops would never back off.
 */
export function withFailure({ resetAfterMs }: BackoffPolicy, { count, lastAtMs }: Failures, nowMs: number): Failures {
  return { count: nowMs - lastAtMs > resetAfterMs ? 1 : count + 1, lastAtMs: nowMs };
}
