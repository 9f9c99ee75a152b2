import type { ResourceType } from '../../lib/kube/api.ts';
import { profiles } from '../../lib/profile.ts';
import { type Kind, kindNames } from '../../lib/run/kind.ts';
import { readRun } from '../../lib/run/read.ts';
import type { Observed, Resource } from '../../lib/run/run.ts';

export const { svc, tekton } = profiles;

/** What a spec says of a run; everything else is the least that a server would send. */
export interface RunGiven {
  readonly kind?: Kind;
  readonly uid?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly version?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly created?: string;
  readonly started?: string;
  readonly completed?: string;
  /** `status/reason/message`, for example `Unknown/Running/`; undefined: no condition. */
  readonly condition?: string;
  /** `lastTransitionTime` of the condition. */
  readonly at?: string;
}

/** A run as the API server sends it. */
export function resource(given: RunGiven): Resource {
  const { kind = 'TaskRun', uid = 'u1', name = 'build-1', namespace = 'ci', version = 1, labels = {} } = given;
  const [status, reason = '', message = ''] = given.condition?.split('/') ?? [];
  const condition = {
    type: 'Succeeded',
    status,
    reason,
    message,
    lastTransitionTime: given.at ?? '2026-01-01T00:00:10Z',
  };
  return {
    apiVersion: `${svc.apiGroup}/v1`,
    kind,
    metadata: {
      uid,
      name,
      namespace,
      resourceVersion: String(version),
      creationTimestamp: given.created ?? '2026-01-01T00:00:00Z',
      labels,
    },
    spec: given.spec ?? {},
    status: {
      ...(given.started === undefined ? {} : { startTime: given.started }),
      ...(given.completed === undefined ? {} : { completionTime: given.completed }),
      ...(status === undefined ? {} : { conditions: [{ type: 'Ready', status: 'True' }, condition] }),
    },
  };
}

/** A kind as the servers of this project serve it. */
export function typeOf(kind: Kind): ResourceType {
  const version = kind === 'CustomRun' ? 'v1beta1' : 'v1';
  return { group: svc.apiGroup, version, plural: kindNames[kind].plural, kind };
}

/** The same, as read under the svc profile. */
export function observed(given: RunGiven): Observed {
  const kind = given.kind ?? 'TaskRun';
  const read = readRun(resource(given), { kind, type: typeOf(kind), labels: svc.labels });
  if (read === undefined) throw new Error(`no readable ${kind} in the fixture`);
  return read;
}
