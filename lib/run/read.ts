import type { ResourceType } from '../kube/api.ts';
import type { LabelKeys } from '../profile.ts';
import { type Condition, type ConditionStatus, conditionStatuses } from './condition.ts';
import { asText } from './fields.ts';
import type { Kind } from './kind.ts';
import { namesOf } from './names.ts';
import { type ConditionParts, partsOf, type RunParts } from './parts.ts';
import type { Observed, Resource, Run } from './run.ts';

const parkedBy: Readonly<Record<Kind, string | undefined>> = {
  TaskRun: 'TaskRunPending',
  PipelineRun: 'PipelineRunPending',
  CustomRun: undefined,
};

/** What the object is read as. */
interface As {
  readonly kind: Kind;
  readonly type: ResourceType;
  readonly labels: LabelKeys;
}

/** One version of a run, read from the object as the API server sent it; undefined where `runOf` gives none. */
export function readRun(resource: Resource, { kind, type, labels }: As): Observed | undefined {
  const run = runOf(partsOf(resource, labels), kind);
  return run && { run, resource, type };
}

/**
 * A run from its parts.
 *
 * Undefined when it cannot be told apart from other runs: uid, name, namespace and resourceVersion must be there.
 * Anything else that is missing or of another shape reads as absent.
 */
export function runOf(parts: RunParts, kind: Kind): Run | undefined {
  const uid = asText(parts.uid);
  const name = asText(parts.name);
  const namespace = asText(parts.namespace);
  const resourceVersion = asText(parts.resourceVersion);
  if (!uid || !name || !namespace || !resourceVersion) return undefined;
  const { task, pipeline, pipelineRun, inPipeline } = namesOf(parts, kind);
  const known = parts.condition !== undefined && isConditionStatus(parts.condition.status);
  return {
    kind,
    uid,
    namespace,
    name,
    resourceVersion,
    condition: known ? conditionOf(parts.condition) : undefined,
    oddStatus: parts.condition === undefined || known ? undefined : String(parts.condition.status),
    parked: parkedBy[kind] !== undefined && parts.asked === parkedBy[kind],
    task,
    pipeline,
    pipelineRun,
    inPipeline,
  };
}

function conditionOf({ status, reason, message, lastTransitionTime }: ConditionParts): Condition {
  const transitionTimeMs = Date.parse(asText(lastTransitionTime));
  return {
    status: status as ConditionStatus,
    reason: asText(reason),
    message: asText(message),
    transitionTimeMs: Number.isNaN(transitionTimeMs) ? undefined : transitionTimeMs,
  };
}

function isConditionStatus(value: unknown): value is ConditionStatus {
  return conditionStatuses.some((status) => status === value);
}
