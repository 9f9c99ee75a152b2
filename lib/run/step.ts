import type { Observed, Run } from './run.ts';

/** What a step may owe a sink, in the order it is told (interface document, section 6.2). */
export const eventWords = ['queued', 'started', 'running', 'unknown', 'successful', 'failed'] as const;

export type EventWord = (typeof eventWords)[number];

/** What a step may owe `kubectl describe` (interface document, section 6.1). */
export interface OwedKubeEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** The CloudEvent type it goes with: its name is made of the same id. */
  readonly word: EventWord;
}

/** How a run ended, for the counters and durations of section 2.3. */
export interface Finished {
  readonly status: 'success' | 'failed' | 'cancelled';
  readonly reason: string;
  /** From start to completion; never negative. */
  readonly durationSeconds: number;
}

/**
 * One run, from one observed version to the next: what every effect works from.
 *
 * `before` undefined: first sight. `after` undefined: deleted or vanished. Every observed version makes a step,
 * also one that owes nothing: gauges follow them all.
 */
export interface Step {
  readonly before: Run | undefined;
  readonly after: Run | undefined;
  /** The whole object behind `after`, for event bodies; undefined on a deletion. */
  readonly observed: Observed | undefined;
  /** CloudEvents owed, in order; empty in a baseline, and wherever the condition did not change. */
  readonly events: readonly EventWord[];
  readonly kubeEvents: readonly OwedKubeEvent[];
  /** Told from a list after history was lost: what happened in between is gone. */
  readonly synthesized: boolean;
  /** Set when the run is over for the first time: count it and time it. */
  readonly finished: Finished | undefined;
}
