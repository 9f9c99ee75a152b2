import type { Profile } from '../profile.ts';
import type { Kind } from '../run/kind.ts';
import type { Run } from '../run/run.ts';
import { isRunning, throttleOf } from '../run/running.ts';
import type { Step } from '../run/step.ts';
import { catalogueRow, type MetricName } from './catalogue.ts';
import { type Labels, labelsOf } from './labels.ts';
import type { MetricsSettings } from './settings.ts';

/** One series of one metric. */
export interface Place {
  readonly metric: MetricName;
  readonly labels: Labels;
}

/** What is added to a series: 1 to a counter, seconds to a duration. */
export interface Sample extends Place {
  readonly value: number;
}

const totals: Readonly<Record<Kind, MetricName | undefined>> = {
  TaskRun: 'taskrun_total',
  PipelineRun: 'pipelinerun_total',
  CustomRun: undefined,
};

function durationMetric({ kind, inPipeline }: Run): MetricName {
  if (kind === 'PipelineRun') return 'pipelinerun_duration_seconds';
  return inPipeline ? 'pipelinerun_taskrun_duration_seconds' : 'taskrun_duration_seconds';
}

/** What a step adds to counters and durations: a run that finished is counted once and timed once; else nothing. */
export function samplesOf(
  { after, finished }: Pick<Step, 'after' | 'finished'>,
  settings: MetricsSettings,
  profile: Profile,
): readonly Sample[] {
  const total = after && totals[after.kind];
  if (after === undefined || finished === undefined || total === undefined) return [];
  const sample = (metric: MetricName, value: number): Sample => {
    const names = catalogueRow(metric).labels(settings, profile);
    return { metric, labels: labelsOf(names, after, finished), value };
  };
  return [sample(total, 1), sample(durationMetric(after), finished.durationSeconds)];
}

/** The gauges that a run counts in now; none when it is not running, gone, or a CustomRun. */
export function gaugesOf(run: Run | undefined, settings: MetricsSettings, profile: Profile): readonly Place[] {
  if (run === undefined) return [];
  return gaugeNames(run, profile).map((metric) => ({
    metric,
    labels: labelsOf(catalogueRow(metric).labels(settings, profile), run),
  }));
}

function gaugeNames(run: Run, { behaviour }: Profile): readonly MetricName[] {
  if (run.kind === 'CustomRun' || !isRunning(run, behaviour)) return [];
  if (run.kind === 'PipelineRun') return ['running_pipelineruns'];
  const throttle = throttleOf(run, behaviour);
  return throttle === undefined
    ? ['running_taskruns']
    : ['running_taskruns', `running_taskruns_throttled_by_${throttle}`];
}

/** Whether two versions of one running run count in the same gauges, under any settings. */
export function sameGauges(a: Run, b: Run, { behaviour }: Profile): boolean {
  // A name and a namespace are a uid's for life; a pipeline label may be edited.
  return (
    a.pipeline === b.pipeline &&
    isRunning(a, behaviour) === isRunning(b, behaviour) &&
    throttleOf(a, behaviour) === throttleOf(b, behaviour)
  );
}
