import type { LabelKeys } from '../profile.ts';
import { field } from './fields.ts';
import type { Resource } from './run.ts';

/** What a run is read from: values of an object as they stand in it, of any type, undefined where they are missing. */
export interface RunParts {
  readonly uid: unknown;
  readonly name: unknown;
  readonly namespace: unknown;
  readonly resourceVersion: unknown;
  readonly labels: LabelParts;
  /** `spec.status`. */
  readonly asked: unknown;
  /** `spec.taskRef.name` and `spec.pipelineRef.name`. */
  readonly taskRef: unknown;
  readonly pipelineRef: unknown;
  /** Whether there is a `spec.taskSpec`. */
  readonly embedded: boolean;
  /** The first of its conditions of the type `Succeeded`. */
  readonly condition: ConditionParts | undefined;
}

interface LabelParts {
  readonly task: unknown;
  readonly pipelineTask: unknown;
  readonly pipeline: unknown;
  readonly pipelineRun: unknown;
}

export interface ConditionParts {
  readonly status: unknown;
  readonly reason: unknown;
  readonly message: unknown;
  readonly lastTransitionTime: unknown;
}

/** The parts of a parsed object. */
export function partsOf({ metadata, spec, status }: Resource, keys: LabelKeys): RunParts {
  const labels = field(metadata, 'labels');
  return {
    uid: field(metadata, 'uid'),
    name: field(metadata, 'name'),
    namespace: field(metadata, 'namespace'),
    resourceVersion: field(metadata, 'resourceVersion'),
    labels: {
      task: field(labels, keys.task),
      pipelineTask: field(labels, keys.pipelineTask),
      pipeline: field(labels, keys.pipeline),
      pipelineRun: field(labels, keys.pipelineRun),
    },
    asked: field(spec, 'status'),
    taskRef: field(field(spec, 'taskRef'), 'name'),
    pipelineRef: field(field(spec, 'pipelineRef'), 'name'),
    embedded: field(spec, 'taskSpec') !== undefined,
    condition: conditionOf(field(status, 'conditions')),
  };
}

function conditionOf(conditions: unknown): ConditionParts | undefined {
  const found = Array.isArray(conditions) ? conditions.find((one) => field(one, 'type') === 'Succeeded') : undefined;
  if (found === undefined) return undefined;
  const { status, reason, message, lastTransitionTime } = found;
  return { status, reason, message, lastTransitionTime };
}
