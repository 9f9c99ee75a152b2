/** One version of a run's life: its condition, and what else about it has changed by then. */
interface Stage {
  readonly change: 'ADDED' | 'MODIFIED';
  /** `status/reason/message`; '' while there is none. */
  readonly condition: string;
  readonly pod: boolean;
  readonly steps: 'none' | 'running' | 'terminated';
  readonly signed: boolean;
}

const stage = (condition: string, rest: Partial<Stage> = {}): Stage => ({
  change: 'MODIFIED',
  condition,
  pod: false,
  steps: 'none',
  signed: false,
  ...rest,
});
const waiting = 'Unknown/Pending/pod status "Initialized":"False"; message: "containers with incomplete status"';
const running = 'Unknown/Running/Not all Steps in the Task have finished executing';
const succeeded = 'True/Succeeded/All Steps have completed executing';

/**
 * The ten versions that a TaskRun goes through: four change its condition, five something else, as a pod that comes
 * up step by step does, and one makes it.
 */
export const stages: readonly Stage[] = [
  stage('', { change: 'ADDED' }),
  stage('Unknown/Started/'),
  stage('Unknown/Started/'),
  stage(waiting),
  stage(waiting, { pod: true }),
  stage(running, { pod: true }),
  stage(running, { pod: true, steps: 'running' }),
  stage(running, { pod: true, steps: 'terminated' }),
  stage(succeeded, { pod: true, steps: 'terminated' }),
  stage(succeeded, { pod: true, steps: 'terminated', signed: true }),
];

/** The stage of a run that is executing. */
export const runningStage = 6;

const group = 'svc.dev';
const stepNames = ['prepare', 'fetch', 'build', 'report', 'publish'];
const script =
  '#!/bin/sh\nset -eu\ncd "$(workspaces.source.path)"\nmake -j2 build test && cp -r out/. "$(results.out.path)"';
const image =
  'registry.example.com/builders/go@sha256:5f0a0ab5a3cd59bb6b6d8f1bd06f0b3f7ae95f1c1f2c7a7c3e6ab0f3b4a1d2c3';
// The hour, minute and ten seconds differ from run to run, as they do in life.
const at = '2026-01-01T@T@';

function steps({ steps: state }: Stage): readonly unknown[] {
  if (state === 'none') return [];
  return stepNames.map((name) => ({
    container: `step-${name}`,
    imageID: image,
    name,
    ...(state === 'running'
      ? { running: { startedAt: `${at}4Z` } }
      : {
          terminated: {
            containerID: `containerd://${'ab12'.repeat(16)}`,
            exitCode: 0,
            finishedAt: `${at}8Z`,
            reason: 'Completed',
            startedAt: `${at}4Z`,
          },
        }),
  }));
}

function managedFields({ pod }: Stage): readonly unknown[] {
  const param = (name: string) => [`k:{"name":"${name}"}`, { '.': {}, 'f:name': {}, 'f:value': {} }];
  const spec = Object.fromEntries(['url', 'revision', 'target', 'cache', 'notify'].map(param));
  const status = {
    'f:conditions': {},
    'f:podName': {},
    'f:startTime': {},
    'f:steps': {},
    'f:taskSpec': { '.': {}, 'f:params': {}, 'f:steps': {} },
  };
  const entry = (manager: string, fieldsV1: unknown) => ({
    apiVersion: `${group}/v1`,
    fieldsType: 'FieldsV1',
    fieldsV1,
    manager,
    operation: 'Update',
    time: `${at}1Z`,
  });
  const created = entry('kubectl-create', {
    'f:metadata': { 'f:labels': { '.': {} } },
    'f:spec': { '.': {}, 'f:params': spec, 'f:serviceAccountName': {}, 'f:taskRef': {}, 'f:timeout': {} },
  });
  return pod ? [created, { ...entry('controller', { 'f:status': status }), subresource: 'status' }] : [created];
}

function conditions({ condition }: Stage): readonly unknown[] {
  const [status = '', reason, message] = condition.split('/');
  return status === '' ? [] : [{ lastTransitionTime: `${at}5Z`, message, reason, status, type: 'Succeeded' }];
}

// Keys in the order in which a kube-apiserver writes those of a custom resource: sorted.
function resource(of: Stage): unknown {
  const params = ['url', 'revision', 'target', 'cache', 'notify'].map((name) => ({
    name,
    value: `https://git.example.com/team/${name}-@I@.git`,
  }));
  const step = (name: string) => ({ image, name, script, workingDir: '/workspace/source' });
  const taskSpec = { params: params.map(({ name }) => ({ name, type: 'string' })), steps: stepNames.map(step) };
  const annotations = {
    [`${group}/chains`]: of.signed ? 'true' : 'false',
    'example.com/note': 'a "quoted" note of run @I@',
  };
  const done = of.condition.startsWith('True') ? { completionTime: `${at}9Z` } : {};
  return {
    apiVersion: `${group}/v1`,
    kind: 'TaskRun',
    metadata: {
      annotations,
      creationTimestamp: `${at}0Z`,
      generation: 1,
      labels: { 'app.kubernetes.io/managed-by': 'pipelines', [`${group}/task`]: 'build' },
      managedFields: managedFields(of),
      name: 'build-run-@I@',
      namespace: 'team-@N@',
      resourceVersion: '@V@',
      uid: '00000000-0000-4000-8000-000000@I@',
    },
    spec: { params, serviceAccountName: 'builder', taskRef: { kind: 'Task', name: 'build' }, timeout: '1h0m0s' },
    status: {
      ...done,
      conditions: conditions(of),
      ...(of.pod ? { podName: 'build-run-@I@-pod' } : {}),
      provenance: {
        featureFlags: {
          awaitSidecarReadiness: true,
          enableAPIFields: 'beta',
          runningInEnvWithInjectedSidecars: true,
          verificationNoMatchPolicy: 'ignore',
        },
      },
      startTime: `${at}1Z`,
      steps: steps(of),
      taskSpec,
    },
  };
}

const pieces = stages.map((of) => JSON.stringify(resource(of)).split(/@([INTV])@/));

/** How many namespaces the runs are spread over. */
export const namespaces = 50;

/** The JSON of one run in a stage: 3.3 to 5 KB, 4.3 on average, as a kube-apiserver would write it. */
export function runText(index: number, stageIndex: number, version: number): string {
  const values: Readonly<Record<string, string>> = {
    I: String(index).padStart(6, '0'),
    N: String(index % namespaces),
    T: timeText(index),
    V: String(version),
  };
  return (pieces[stageIndex] ?? []).map((piece, at) => (at % 2 === 0 ? piece : values[piece])).join('');
}

/** `hh:mm:s`, another one for each of 8,640 runs that follow each other. */
function timeText(index: number): string {
  const [hour, minute, ten] = [Math.floor(index / 360) % 24, Math.floor(index / 6) % 60, index % 6];
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}:${ten}`;
}

/** The line of a watch that says it. */
export function watchLine(index: number, stageIndex: number, version: number, change?: 'DELETED'): string {
  return `{"type":"${change ?? stages[stageIndex]?.change ?? 'MODIFIED'}","object":${runText(index, stageIndex, version)}}\n`;
}
