import type { Portion } from './waiting-events.ts';

/**
 * How long an event may wait unwritten where the sink takes events. What is sent within that time never costs a write,
 * and a kill does not lose it: no mark has passed it, and ten seconds are a thirtieth of what the API server's history
 * reaches back at least.
 */
const patienceMs = 10_000;

/** What waits for the disk, and how fast it goes away by itself. */
export interface Waiting {
  readonly events: number;
  /** How long the one has waited that waits longest. */
  readonly oldestMs: number;
  /** Events that were acknowledged or dropped during `overMs`. */
  readonly settled: number;
  readonly overMs: number;
}

/** Which events must be written at once; undefined where they go away by themselves in time. */
export function urgentPortion({ events, oldestMs, settled, overMs }: Waiting): Portion | undefined {
  if (events === 0) return undefined;
  if (settled === 0 || oldestMs > patienceMs) return 'oldest';
  const soonSettled = (settled / Math.max(overMs, 1)) * patienceMs;
  // The oldest are sent next: by the time that the newest are on disk, they may be gone.
  return events > soonSettled ? 'newest' : undefined;
}
