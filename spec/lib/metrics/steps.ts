import type { Condition } from '../../../lib/run/condition.ts';
import type { Run } from '../../../lib/run/run.ts';
import type { Finished, Step } from '../../../lib/run/step.ts';

/** A condition of a run in progress. */
export const unknown = (reason = 'Running'): Condition => ({
  status: 'Unknown',
  reason,
  message: '',
  transitionTimeMs: undefined,
});

/** A running TaskRun `build-1` of task `build` in namespace `shop`, outside any pipeline. */
export function taskRun(fields: Partial<Run> = {}): Run {
  return {
    kind: 'TaskRun',
    uid: 'u1',
    namespace: 'shop',
    name: 'build-1',
    resourceVersion: '1',
    condition: unknown(),
    oddStatus: undefined,
    parked: false,
    task: 'build',
    pipeline: 'anonymous',
    pipelineRun: '',
    inPipeline: false,
    ...fields,
  };
}

/** The same inside PipelineRun `release-1` of pipeline `release`. */
export function pipelineTaskRun(fields: Partial<Run> = {}): Run {
  return taskRun({ pipeline: 'release', pipelineRun: 'release-1', inPipeline: true, ...fields });
}

/** A running PipelineRun `release-1` of pipeline `release` in namespace `shop`. */
export function pipelineRun(fields: Partial<Run> = {}): Run {
  const names = { name: 'release-1', task: '', pipeline: 'release', pipelineRun: 'release-1' };
  return taskRun({ kind: 'PipelineRun', uid: 'p1', ...names, ...fields });
}

const nothingOwed = { observed: undefined, events: [], kubeEvents: [], synthesized: false } as const;

/** One version after the other; `before` undefined is first sight, `after` undefined a deletion. */
export function step(before: Run | undefined, after: Run | undefined, finished?: Finished): Step {
  return { before, after, ...nothingOwed, finished };
}

/** The step in which a run finishes. */
export function finish(run: Run, fields: Partial<Finished> = {}): Step {
  const finished = { status: 'success', reason: 'Succeeded', durationSeconds: 42, ...fields } as const;
  const status = finished.status === 'success' ? 'True' : 'False';
  return step(run, { ...run, condition: { ...unknown(finished.reason), status } }, finished);
}
