import { configMapType, eventType, leaseType, type ResourceType } from '../../kube/api.ts';
import type { Profile } from '../../profile.ts';
import { type Kind, kindNames, kinds } from '../../run/kind.ts';

/** How one resource behaves: each row a fact about a kube-apiserver, not a wish. */
export interface ServedType extends ResourceType {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /** A custom resource: has generations and a status subresource, takes no strategic merge patch. */
  readonly custom: boolean;
  /** Whether PUT may leave `metadata.resourceVersion` out. */
  readonly unconditionalUpdate: boolean;
  /** Whether PUT makes an object that is not there. */
  readonly createOnUpdate: boolean;
  /** Field paths that a fieldSelector may name. */
  readonly fieldLabels: readonly string[];
}

/** API version of each kind of run; Tekton serves CustomRuns as v1beta1 only, and so does the sandbox. */
export type RunVersions = Readonly<Record<Kind, string>>;

export const defaultRunVersions: RunVersions = { TaskRun: 'v1', PipelineRun: 'v1', CustomRun: 'v1beta1' };

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const metadataLabels = ['metadata.name', 'metadata.namespace'];
const eventLabels = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

const namespaced = { namespaced: true, verbs: allVerbs, custom: false, fieldLabels: metadataLabels };

const namespaceType: ServedType = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  singular: 'namespace',
  shortNames: ['ns'],
  namespaced: false,
  verbs: ['create', 'get', 'list', 'watch'],
  custom: false,
  unconditionalUpdate: true,
  createOnUpdate: false,
  fieldLabels: ['metadata.name'],
};

const coreTypes: readonly ServedType[] = [
  namespaceType,
  {
    ...namespaced,
    ...configMapType,
    singular: 'configmap',
    shortNames: ['cm'],
    unconditionalUpdate: true,
    createOnUpdate: false,
  },
  {
    ...namespaced,
    ...eventType,
    singular: 'event',
    shortNames: ['ev'],
    unconditionalUpdate: true,
    createOnUpdate: true,
    fieldLabels: [
      ...metadataLabels,
      ...eventLabels.map((label) => `involvedObject.${label}`),
      'reason',
      'type',
      'reportingComponent',
    ],
  },
  {
    ...namespaced,
    ...leaseType,
    singular: 'lease',
    shortNames: [],
    unconditionalUpdate: false,
    createOnUpdate: true,
  },
];

const shortNames: Readonly<Record<Kind, readonly string[]>> = {
  TaskRun: ['tr', 'trs'],
  PipelineRun: ['pr', 'prs'],
  CustomRun: [],
};

/** Everything the sandbox serves: namespaces, config maps, events, leases and the profile's runs. */
export function servedTypes({ apiGroup }: Profile, versions: RunVersions): readonly ServedType[] {
  const runTypes = kinds.map((kind) => ({
    ...namespaced,
    group: apiGroup,
    version: versions[kind],
    plural: kindNames[kind].plural,
    kind,
    singular: kind.toLowerCase(),
    shortNames: shortNames[kind],
    custom: true,
    unconditionalUpdate: false,
    createOnUpdate: false,
  }));
  return [...coreTypes, ...runTypes];
}

/** `taskruns.svc.dev`, or `configmaps` in the core group: how a kube-apiserver names a resource in a sentence. */
export function qualifiedName({ plural, group }: ResourceType): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** `svc.dev/v1`, or `v1` in the core group. */
export function apiVersionOf({ group, version }: ResourceType): string {
  return group === '' ? version : `${group}/${version}`;
}
