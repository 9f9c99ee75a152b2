import type { ResourceType } from '../kube/api.ts';
import type { Condition } from './condition.ts';
import type { Kind } from './kind.ts';
import type { Outline } from './outline.ts';

/**
 * What stays in memory of a run between two of its versions: at most 500 bytes.
 *
 * Everything an effect may need later without the object: who it is, what its condition said, and the
 * names that label its metrics.
 */
export interface Run {
  readonly kind: Kind;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** Opaque to Kubernetes clients but for equality; a decimal number on every server this project supports. */
  readonly resourceVersion: string;
  /** The `Succeeded` condition; undefined while there is none, or when its status is none of the three. */
  readonly condition: Condition | undefined;
  /** A `Succeeded` condition whose status is none of the three, as it was; undefined when all is well. */
  readonly oddStatus: string | undefined;
  /** Created, but told by its spec not to run yet (`TaskRunPending`, `PipelineRunPending`). */
  readonly parked: boolean;
  /** Names that label metrics (see lib/run/names.ts). */
  readonly task: string;
  readonly pipeline: string;
  /** The PipelineRun that a TaskRun belongs to, else ''; for a PipelineRun its own name. */
  readonly pipelineRun: string;
  /** A TaskRun that carries both the pipeline and the pipelineRun label: timed as part of its PipelineRun. */
  readonly inPipeline: boolean;
}

/** The whole object as the API server sent it; read through lib/run, by event bodies and by lib/traces. */
export type Resource = Readonly<Record<string, unknown>>;

/** One version of a run as observed: what is kept, and the whole object, which is not. */
export interface Observed {
  readonly run: Run;
  readonly resource: Resource;
  /** What is needed most of the object, where that is to be had without parsing it. */
  readonly outline?: Outline | undefined;
  /** The resource it was watched as: what Ce-Source is made of, never the object's own word. */
  readonly type: ResourceType;
}
