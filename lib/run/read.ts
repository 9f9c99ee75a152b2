import type { ResourceType } from '../kube/api.ts';
import type { LabelKeys } from '../profile.ts';
import { type Condition, type ConditionStatus, conditionStatuses } from './condition.ts';
import { field, text, timeMs } from './fields.ts';
import type { Kind } from './kind.ts';
import { namesOf } from './names.ts';
import type { Observed, Resource } from './run.ts';

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

/**
 * One version of a run, read from the object as the API server sent it.
 *
 * Undefined when it cannot be told apart from other runs: uid, name, namespace and resourceVersion must be there.
 * Anything else that is missing or of another shape reads as absent.
 */
export function readRun(resource: Resource, { kind, type, labels }: As): Observed | undefined {
  const uid = text(resource, 'metadata', 'uid');
  const name = text(resource, 'metadata', 'name');
  const namespace = text(resource, 'metadata', 'namespace');
  const resourceVersion = text(resource, 'metadata', 'resourceVersion');
  if (!uid || !name || !namespace || !resourceVersion) return undefined;
  const { condition, oddStatus } = readCondition(resource);
  const parked = parkedBy[kind] !== undefined && text(resource, 'spec', 'status') === parkedBy[kind];
  const names = namesOf(resource, kind, labels);
  const run = { kind, uid, namespace, name, resourceVersion, condition, oddStatus, parked, ...names };
  return { run, resource, type };
}

function readCondition(resource: Resource): { condition: Condition | undefined; oddStatus: string | undefined } {
  const conditions = field(field(resource, 'status'), 'conditions');
  const found = Array.isArray(conditions) ? conditions.find((one) => field(one, 'type') === 'Succeeded') : undefined;
  if (found === undefined) return { condition: undefined, oddStatus: undefined };
  const status = field(found, 'status');
  if (!isConditionStatus(status)) return { condition: undefined, oddStatus: String(status) };
  const condition = {
    status,
    reason: text(found, 'reason'),
    message: text(found, 'message'),
    transitionTimeMs: timeMs(found, 'lastTransitionTime'),
  };
  return { condition, oddStatus: undefined };
}

function isConditionStatus(value: unknown): value is ConditionStatus {
  return conditionStatuses.some((status) => status === value);
}
