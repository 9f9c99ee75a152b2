import type { Profile } from '../../profile.ts';
import type { Kind } from '../../run/kind.ts';
import type { Resource } from '../../run/run.ts';

/** A run that another one made: what ties it to its PipelineRun. */
export interface Owner {
  readonly pipeline: string;
  readonly pipelineRun: string;
  readonly pipelineTask: string;
  readonly uid: string;
  readonly apiVersion: string;
}

interface NewRun {
  readonly kind: Kind;
  readonly apiVersion: string;
  readonly namespace: string;
  readonly name: string;
  /** The Task, the Pipeline or the custom task that it runs. */
  readonly ref: string;
  readonly specStatus: string | undefined;
  readonly owner: Owner | undefined;
}

const params = [
  { name: 'url', value: 'https://git.example.com/shop/checkout.git' },
  { name: 'revision', value: '4f1c2d3e5a6b7c8d9e0f11223344556677889900' },
  { name: 'image', value: 'registry.example.com/shop/checkout:4f1c2d3' },
];

const refs: Readonly<Record<Kind, (ref: string) => Resource>> = {
  TaskRun: (name) => ({ taskRef: { kind: 'Task', name } }),
  PipelineRun: (name) => ({ pipelineRef: { name } }),
  CustomRun: (name) => ({ customRef: { apiVersion: 'approvals.example.com/v1', kind: 'Approval', name } }),
};

const serviceAccounts: Readonly<Record<Kind, Resource>> = {
  TaskRun: { serviceAccountName: 'builder', timeout: '1h0m0s' },
  PipelineRun: { timeouts: { pipeline: '1h0m0s' }, taskRunTemplate: { serviceAccountName: 'builder' } },
  CustomRun: { serviceAccountName: 'builder', timeout: '1h0m0s' },
};

/** A run as it is created: metadata, labels, owner and spec, and no status yet. */
export function runManifest(profile: Profile, run: NewRun): Resource {
  const { kind, apiVersion, namespace, name, ref, specStatus, owner } = run;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      labels: { 'app.kubernetes.io/managed-by': profile.component, ...labelsOf(profile, run) },
      annotations: { 'example.com/requested-by': 'nightly-schedule', 'example.com/change': '4f1c2d3' },
      ...(owner === undefined ? {} : { ownerReferences: [ownerReference(owner)] }),
    },
    spec: { params, ...refs[kind](ref), ...serviceAccounts[kind], ...(specStatus ? { status: specStatus } : {}) },
  };
}

function labelsOf({ labels }: Profile, { kind, name, ref, owner }: NewRun): Record<string, string> {
  const own = kind === 'TaskRun' ? { [labels.task]: ref } : kind === 'PipelineRun' ? { [labels.pipeline]: ref } : {};
  if (owner === undefined) return own;
  const self = kind === 'TaskRun' ? labels.taskRun : labels.customRun;
  return {
    ...own,
    [labels.pipeline]: owner.pipeline,
    [labels.pipelineRun]: owner.pipelineRun,
    [labels.pipelineTask]: owner.pipelineTask,
    [self]: name,
  };
}

function ownerReference({ apiVersion, pipelineRun, uid }: Owner): Resource {
  return { apiVersion, kind: 'PipelineRun', name: pipelineRun, uid, controller: true, blockOwnerDeletion: true };
}
