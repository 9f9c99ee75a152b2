import type { LabelKeys } from '../profile.ts';
import { field, text } from './fields.ts';
import type { Kind } from './kind.ts';
import type { Resource } from './run.ts';

/** The names that label a run's metrics. */
export interface Names {
  readonly task: string;
  readonly pipeline: string;
  /** The PipelineRun that a TaskRun belongs to, else ''; for a PipelineRun its own name. */
  readonly pipelineRun: string;
  /** The run carries both the pipeline and the pipelineRun label. */
  readonly inPipeline: boolean;
}

const anonymous = 'anonymous';

/**
 * Which task and pipeline a run speaks of, by its references first and its labels second.
 *
 * A pipeline label that only repeats the PipelineRun's name was made up for an embedded pipeline and would be a
 * new label value for every run: it counts as `anonymous`.
 */
export function namesOf(resource: Resource, kind: Kind, keys: LabelKeys): Names {
  const labels = field(field(resource, 'metadata'), 'labels');
  const labelled = { pipeline: text(labels, keys.pipeline), pipelineRun: text(labels, keys.pipelineRun) };
  const pipelineRun = kind === 'PipelineRun' ? text(resource, 'metadata', 'name') : labelled.pipelineRun;
  const ownPipeline = labelled.pipeline === pipelineRun ? '' : labelled.pipeline;
  return {
    task: kind === 'TaskRun' ? taskOf(resource, labels, keys) : '',
    pipeline: text(resource, 'spec', 'pipelineRef', 'name') || ownPipeline || anonymous,
    pipelineRun,
    inPipeline: labelled.pipeline !== '' && labelled.pipelineRun !== '',
  };
}

function taskOf(resource: Resource, labels: unknown, keys: LabelKeys): string {
  const embedded = field(field(resource, 'spec'), 'taskSpec') !== undefined;
  const label = text(labels, embedded ? keys.pipelineTask : keys.task);
  return text(resource, 'spec', 'taskRef', 'name') || label || anonymous;
}
