import { isDone } from './condition.ts';
import { timeMs } from './fields.ts';
import type { Kind } from './kind.ts';
import type { Observed } from './run.ts';
import type { Finished } from './step.ts';
import { timesOf } from './times.ts';

/** The reason that tells a cancelled run from a failed one. CustomRuns have no metrics of their own. */
const cancelledBy: Readonly<Record<Kind, string | undefined>> = {
  TaskRun: 'TaskRunCancelled',
  PipelineRun: 'Cancelled',
  CustomRun: undefined,
};

/** How a run ended; undefined while it has not, and for CustomRuns. */
export function finishedOf(observed: Observed): Finished | undefined {
  const { kind, condition } = observed.run;
  if (kind === 'CustomRun' || condition === undefined || !isDone(condition)) return undefined;
  const cancelled = condition.status === 'False' && condition.reason === cancelledBy[kind];
  const failed = cancelled ? 'cancelled' : 'failed';
  return {
    status: condition.status === 'True' ? 'success' : failed,
    reason: condition.reason,
    durationSeconds: durationSeconds(observed),
  };
}

/**
 * Seconds from start to completion; never negative.
 *
 * A run that has no completionTime ends with its condition. One that never started took 0 s.
 */
export function durationSeconds(observed: Observed): number {
  const { run } = observed;
  const times = timesOf(observed);
  const startedMs = timeMs(times, 'startTime');
  const endedMs = timeMs(times, 'completionTime') ?? run.condition?.transitionTimeMs;
  if (startedMs === undefined || endedMs === undefined) return 0;
  return Math.max(0, endedMs - startedMs) / 1000;
}
