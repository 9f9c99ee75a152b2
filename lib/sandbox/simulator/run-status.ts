import { isDone } from '../../run/condition.ts';
import type { Kind } from '../../run/kind.ts';
import type { Resource } from '../../run/run.ts';
import { isJson, jsonAt, textAt } from '../api/stored-object.ts';
import type { ScriptedCondition } from './lives.ts';

interface StatusInput {
  readonly kind: Kind;
  readonly name: string;
  readonly condition: ScriptedCondition;
  /** The run as it stands. */
  readonly present: Resource;
  readonly nowMs: number;
  readonly neverStarts: boolean;
}

/** RFC 3339 in whole seconds, as Kubernetes writes times. */
export function timestamp(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
}

/**
 * The status to merge into a run when its condition becomes this one: times, and for a TaskRun its pod, its
 * steps and what it tried before.
 */
export function runStatus(input: StatusInput): Resource {
  const { kind, name, condition, present, nowMs, neverStarts } = input;
  const now = timestamp(nowMs);
  const before = jsonAt(present, 'status');
  const retried = condition.reason === 'Started' && reasonOf(before) === 'ToBeRetried';
  const startTime = retried ? now : textAt(before, 'startTime') || now;
  const message = condition.message.replaceAll('{name}', name);
  return {
    conditions: [{ type: 'Succeeded', ...condition, message, lastTransitionTime: now }],
    ...(neverStarts || parked.includes(condition.reason) ? {} : { startTime }),
    ...(isDone({ ...condition, transitionTimeMs: undefined }) ? { completionTime: now } : {}),
    ...(kind === 'TaskRun' && !neverStarts ? taskStatus(input, startTime, now) : {}),
  };
}

const parked = ['TaskRunPending', 'PipelineRunPending'];
const unscheduled = ['Started', 'TaskRunPending', 'ExceededResourceQuota'];
const hello = 'sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef';
const stepNames = ['prepare', 'run', 'report'];

function taskStatus({ name, condition, present }: StatusInput, startTime: string, now: string): Resource {
  const before = jsonAt(present, 'status');
  const podless = unscheduled.includes(condition.reason) && textAt(before, 'podName') === '';
  const again = condition.reason === 'ToBeRetried';
  return {
    ...(podless
      ? {}
      : { podName: `${name}-pod`, steps: stepNames.map((step) => stepState(step, condition, startTime, now)) }),
    ...(again ? { retriesStatus: [...retriesOf(before), { ...before, retriesStatus: null, taskSpec: null }] } : {}),
    taskSpec: {
      params: ['url', 'revision', 'image'].map((param) => ({ name: param, type: 'string' })),
      steps: specSteps,
    },
    provenance: { featureFlags: { awaitSidecarReadiness: true, coschedule: 'workspaces', enableAPIFields: 'beta' } },
    artifacts: {},
  };
}

const specSteps = stepNames.map((name) => ({
  name,
  image: `registry.example.com/tools/${name}@${hello}`,
  workingDir: '/workspace/source',
  script: `#!/bin/sh\nset -eu\necho "${name}: $(params.url) at $(params.revision)"\nexec /usr/local/bin/${name} --image "$(params.image)" --output "$(workspaces.source.path)/out"\n`,
  computeResources: { requests: { cpu: '500m', memory: '256Mi' } },
}));

function stepState(name: string, { status }: ScriptedCondition, startedAt: string, finishedAt: string): Resource {
  const exitCode = status === 'False' && name !== 'prepare' ? 1 : 0;
  const reason = exitCode === 0 ? 'Completed' : 'Error';
  const terminated = { containerID: `containerd://${hello.slice(7)}`, exitCode, startedAt, finishedAt, reason };
  return {
    name,
    container: `step-${name}`,
    imageID: `registry.example.com/tools/${name}@${hello}`,
    ...(status === 'Unknown' ? { running: { startedAt } } : { terminated, terminationReason: reason }),
  };
}

function retriesOf(status: Resource): readonly unknown[] {
  return Array.isArray(status.retriesStatus) ? status.retriesStatus : [];
}

/** The reason of the `Succeeded` condition in a status; '' without one. */
function reasonOf({ conditions }: Resource): string {
  const all: readonly unknown[] = Array.isArray(conditions) ? conditions : [];
  return textAt(
    all.find((one) => isJson(one) && one.type === 'Succeeded'),
    'reason',
  );
}
