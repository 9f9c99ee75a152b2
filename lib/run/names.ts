import { asText } from './fields.ts';
import type { Kind } from './kind.ts';
import type { RunParts } from './parts.ts';

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
export function namesOf({ labels, name, taskRef, pipelineRef, embedded }: RunParts, kind: Kind): Names {
  const pipelineRun = asText(kind === 'PipelineRun' ? name : labels.pipelineRun);
  const pipeline = asText(labels.pipeline);
  const task = asText(taskRef) || asText(embedded ? labels.pipelineTask : labels.task) || anonymous;
  return {
    task: kind === 'TaskRun' ? task : '',
    pipeline: asText(pipelineRef) || (pipeline === pipelineRun ? '' : pipeline) || anonymous,
    pipelineRun,
    inPipeline: pipeline !== '' && asText(labels.pipelineRun) !== '',
  };
}
