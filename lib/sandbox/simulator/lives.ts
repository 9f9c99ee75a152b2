import type { ConditionStatus } from '../../run/condition.ts';
import type { Kind } from '../../run/kind.ts';

/** What a run's `Succeeded` condition says from some moment on. `{name}` in a message is the run's name. */
export interface ScriptedCondition {
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
}

/**
 * One moment of a life, so long after the one before. `spec` asks for something by writing `spec.status`, as a
 * user would: '' takes it out again.
 */
export type Beat =
  | { readonly afterMs: number; readonly condition: ScriptedCondition }
  | { readonly afterMs: number; readonly spec: string };

/** How a TaskRun or a CustomRun goes, from its creation on. */
export interface Life {
  readonly name: string;
  /** How often among the lives of its kind. */
  readonly weight: number;
  /** `spec.status` at creation: parked until a beat takes it out. */
  readonly parkedAs?: string;
  /** Ends before it ever starts: no startTime, no pod. */
  readonly neverStarts?: boolean;
  readonly beats: readonly Beat[];
}

const beat = (afterMs: number, status: ConditionStatus, reason: string, message = ''): Beat => ({
  afterMs,
  condition: { status, reason, message },
});

const started = beat(300, 'Unknown', 'Started');
const pending = beat(400, 'Unknown', 'Pending', 'pod status "Initialized":"False"; message: "containers not ready"');
const running = beat(900, 'Unknown', 'Running', 'Not all Steps in the Task have finished executing');
const succeeded = beat(2500, 'True', 'Succeeded', 'All Steps have completed executing');
const stepFailed = beat(1800, 'False', 'Failed', '"step-run" exited with code 1: Error');
const noQuota = 'TaskRun Pod "{name}-pod" exceeded quota: requested cpu=2, used cpu=15, limited cpu=16';
const noNode = '0/3 nodes are available: 3 Insufficient memory';

/** The lives of TaskRuns. Durations in ms are a hundredth or so of what a cluster takes: it is a first look. */
export const taskLives: readonly Life[] = [
  { name: 'success', weight: 50, beats: [started, pending, running, succeeded] },
  { name: 'failure', weight: 12, beats: [started, pending, running, stepFailed] },
  {
    name: 'quota',
    weight: 6,
    beats: [
      started,
      beat(300, 'Unknown', 'ExceededResourceQuota', noQuota),
      { ...pending, afterMs: 4000 },
      running,
      succeeded,
    ],
  },
  {
    name: 'node',
    weight: 6,
    beats: [started, beat(300, 'Unknown', 'ExceededNodeResources', noNode), { ...running, afterMs: 4000 }, succeeded],
  },
  {
    name: 'retry',
    weight: 5,
    beats: [
      started,
      running,
      beat(1200, 'Unknown', 'ToBeRetried', '"step-run" exited with code 1: Error'),
      { ...started, afterMs: 600 },
      running,
      succeeded,
    ],
  },
  {
    name: 'timeout',
    weight: 4,
    beats: [started, running, beat(5000, 'False', 'TaskRunTimeout', 'TaskRun "{name}" failed to finish within "5s"')],
  },
  { name: 'cancel', weight: 4, beats: [started, pending, running, { afterMs: 1500, spec: 'TaskRunCancelled' }] },
  {
    name: 'invalid',
    weight: 3,
    neverStarts: true,
    beats: [beat(400, 'False', 'TaskRunValidationFailed', 'invalid input params for task: missing values for [url]')],
  },
  {
    name: 'parked',
    weight: 2,
    parkedAs: 'TaskRunPending',
    beats: [
      beat(300, 'Unknown', 'TaskRunPending', 'TaskRun "{name}" is pending'),
      { afterMs: 3000, spec: '' },
      started,
      running,
      succeeded,
    ],
  },
];

/** The lives of CustomRuns: somebody else's controller writes them, and needs no pod. */
export const customLives: readonly Life[] = [
  {
    name: 'approved',
    weight: 6,
    beats: [
      beat(300, 'Unknown', 'WaitingForApproval', 'asked in channel releases'),
      beat(2000, 'Unknown', 'Reminded', 'asked again'),
      beat(1500, 'True', 'Approved', 'approved by release manager'),
    ],
  },
  {
    name: 'rejected',
    weight: 2,
    beats: [
      beat(300, 'Unknown', 'WaitingForApproval', 'asked in channel releases'),
      beat(800, 'Unknown', 'Running', 'being looked at'),
      beat(1500, 'False', 'Rejected', 'rejected by release manager'),
    ],
  },
];

/** What a cancelled TaskRun or CustomRun comes to, whoever cancelled it. */
export function cancelledCondition(kind: Kind): ScriptedCondition {
  return { status: 'False', reason: `${kind}Cancelled`, message: `${kind} "{name}" was cancelled` };
}

/** The life of that name. Throws when there is none: a slip in a table. */
export function lifeNamed(lives: readonly Life[], name: string): Life {
  const found = lives.find((life) => life.name === name);
  if (found === undefined) throw new Error(`expected a life of ${lives.map((life) => life.name)}, got ${name}`);
  return found;
}
