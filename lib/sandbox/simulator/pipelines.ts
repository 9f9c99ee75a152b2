import type { ScriptedCondition } from './lives.ts';

/** One node of a pipeline's graph. */
export interface PipelineTask {
  readonly name: string;
  /** The Task it runs; undefined makes it a custom task. */
  readonly task: string | undefined;
  /** Names of the tasks that must have succeeded before. */
  readonly after: readonly string[];
}

/** A pipeline as a graph without cycles. */
export interface Pipeline {
  readonly name: string;
  readonly weight: number;
  readonly tasks: readonly PipelineTask[];
}

const node = (name: string, task: string | undefined, ...after: string[]): PipelineTask => ({ name, task, after });

export const pipelines: readonly Pipeline[] = [
  { name: 'nightly', weight: 3, tasks: [node('checkout', 'git-clone'), node('tests', 'go-test', 'checkout')] },
  {
    name: 'build-and-deploy',
    weight: 2,
    tasks: [
      node('checkout', 'git-clone'),
      node('lint', 'golangci-lint', 'checkout'),
      node('unit-tests', 'go-test', 'checkout'),
      node('image', 'buildah', 'lint', 'unit-tests'),
      node('deploy', 'kubectl-apply', 'image'),
    ],
  },
  {
    name: 'release',
    weight: 1,
    tasks: [node('image', 'buildah'), node('approval', undefined, 'image'), node('publish', 'skopeo-copy', 'approval')],
  },
];

/** What befalls a PipelineRun as a whole. */
export interface PipelineFate {
  readonly name: string;
  readonly weight: number;
  /** The life of the last TaskRun; the others succeed. */
  readonly lastLife: string;
  readonly parked?: boolean;
  /** Refused before it starts. */
  readonly invalid?: ScriptedCondition;
  /** Stopped from outside so long after its start. */
  readonly stop?: { readonly afterMs: number; readonly cancel: boolean };
}

const missing: ScriptedCondition = {
  status: 'False',
  reason: 'ParameterMissing',
  message: 'PipelineRun parameters is missing some parameters required by Pipeline: [revision]',
};

export const fates: readonly PipelineFate[] = [
  { name: 'success', weight: 12, lastLife: 'success' },
  { name: 'failure', weight: 4, lastLife: 'failure' },
  { name: 'parked', weight: 1, lastLife: 'success', parked: true },
  { name: 'cancel', weight: 1, lastLife: 'success', stop: { afterMs: 4000, cancel: true } },
  { name: 'timeout', weight: 1, lastLife: 'success', stop: { afterMs: 6000, cancel: false } },
  { name: 'invalid', weight: 1, lastLife: 'success', invalid: missing },
];

export type TaskState = 'waiting' | 'running' | 'succeeded' | 'failed' | 'cancelled';
type TaskStates = ReadonlyMap<string, TaskState>;

/** The tasks that may start now: waiting, with everything before them succeeded, and nothing failed anywhere. */
export function readyTasks({ tasks }: Pipeline, states: TaskStates): readonly PipelineTask[] {
  const broken = [...states.values()].some((state) => state === 'failed' || state === 'cancelled');
  if (broken) return [];
  return tasks.filter(
    ({ name, after }) => states.get(name) === 'waiting' && after.every((one) => states.get(one) === 'succeeded'),
  );
}

/** What a PipelineRun's condition says of its tasks; Unknown while any still runs or may start. */
export function pipelineCondition(pipeline: Pipeline, states: TaskStates): ScriptedCondition {
  const count = (wanted: TaskState) => [...states.values()].filter((state) => state === wanted).length;
  const [failed, stopped, waiting] = [count('failed'), count('cancelled'), count('waiting')];
  const ended = `Tasks Completed: ${count('succeeded') + failed + stopped} (Failed: ${failed}, Cancelled ${stopped})`;
  if (count('running') > 0 || readyTasks(pipeline, states).length > 0) {
    const incomplete = count('running') + waiting;
    return { status: 'Unknown', reason: 'Running', message: `${ended}, Incomplete: ${incomplete}, Skipped: 0` };
  }
  const message = `${ended}, Skipped: ${waiting}`;
  if (failed + stopped > 0) return { status: 'False', reason: 'Failed', message };
  return { status: 'True', reason: 'Succeeded', message };
}
