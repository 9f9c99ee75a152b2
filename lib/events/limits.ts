import type { BackoffPolicy } from '../backoff.ts';

/** How much may wait, how much may be under way, and how long to keep trying. */
export interface DeliveryLimits {
  /** Events that may wait before the queue drops some. */
  readonly maxEvents: number;
  /** Bytes of their bodies. */
  readonly maxBytes: number;
  /** Posts under way at once, each of another source. */
  readonly maxInFlight: number;
  /** Between two attempts of one event. */
  readonly backoff: Omit<BackoffPolicy, 'resetAfterMs'>;
  /** Between two probes while the circuit is open. */
  readonly probeBackoff: Omit<BackoffPolicy, 'resetAfterMs'>;
  /** The least time between two probes: at most ten requests a second reach a sink that answers only errors. */
  readonly minProbeGapMs: number;
  /** The longest `Retry-After` that is honoured. */
  readonly maxRetryAfterMs: number;
  /** An event that waits longer is given up. */
  readonly giveUpAfterMs: number;
}

/**
 * The limits that hold where nothing else is configured; docs/delivery-guarantees.md explains each. The defaults of
 * the options are made of them or, where these are durations in words, held against them by a spec.
 */
export const deliveryLimits: DeliveryLimits = {
  maxEvents: 100_000,
  maxBytes: 256 * 1024 ** 2,
  maxInFlight: 64,
  backoff: { initialMs: 1000, maxMs: 300_000, factor: 2 },
  probeBackoff: { initialMs: 500, maxMs: 5000, factor: 2 },
  minProbeGapMs: 100,
  maxRetryAfterMs: 3_600_000,
  giveUpAfterMs: 86_400_000,
};
