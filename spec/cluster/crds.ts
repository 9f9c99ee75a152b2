import type { Profile } from '../../lib/profile.ts';
import { type Kind, kindNames, kinds } from '../../lib/run/kind.ts';

/** The one version in which each kind is served; a CustomRun never left beta. */
const versions: Readonly<Record<Kind, string>> = { TaskRun: 'v1', PipelineRun: 'v1', CustomRun: 'v1beta1' };

const condition = (field: string) => `.status.conditions[?(@.type=="Succeeded")].${field}`;

const printerColumns = [
  { name: 'Succeeded', type: 'string', jsonPath: condition('status') },
  { name: 'Reason', type: 'string', jsonPath: condition('reason') },
  { name: 'StartTime', type: 'date', jsonPath: '.status.startTime' },
  { name: 'CompletionTime', type: 'date', jsonPath: '.status.completionTime' },
];

/** A resource as the API server is told about it, as far as specs look inside. */
export interface Crd {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
  /** Where its objects of all namespaces are listed: `/apis/<group>/<version>/<plural>`. */
  readonly listPath: string;
}

/**
 * The three kinds of run as CustomResourceDefinitions of the profile's API group.
 *
 * Any field is accepted, as a run's schema is the business of whoever executes it; the status is a subresource.
 */
export function crds({ apiGroup }: Pick<Profile, 'apiGroup'>): readonly Crd[] {
  return kinds.map((kind) => crd(apiGroup, kind));
}

function crd(group: string, kind: Kind): Crd {
  const { plural } = kindNames[kind];
  const version = versions[kind];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          additionalPrinterColumns: printerColumns,
        },
      ],
    },
    listPath: `/apis/${group}/${version}/${plural}`,
  };
}
