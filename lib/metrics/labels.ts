import type { Profile } from '../profile.ts';
import type { Run } from '../run/run.ts';
import type { Finished } from '../run/step.ts';
import type { MetricsSettings } from './settings.ts';

/** The labels of section 2.3, in its order. */
export const labelNames = ['pipeline', 'pipelinerun', 'task', 'taskrun', 'status', 'namespace', 'reason'] as const;

export type LabelName = (typeof labelNames)[number];
export type Labels = Readonly<Record<string, string>>;

/** Labels that name single runs: as many series as runs. */
const runLevelLabels: ReadonlySet<string> = new Set<LabelName>(['taskrun', 'pipelinerun']);

/** What each level adds, the levels of both keys side by side: `task` and `pipeline` name no single run. */
const byLevel: Readonly<Record<string, readonly LabelName[]>> = {
  '': [],
  namespace: [],
  task: ['task'],
  taskrun: ['task', 'taskrun'],
  pipeline: ['pipeline'],
  pipelinerun: ['pipeline', 'pipelinerun'],
};

const addedBy = (level: string): readonly LabelName[] => byLevel[level] ?? [];

/** Whether the labels name single runs, so that a series speaks of one run only. */
export function isRunLevel(names: readonly string[]): boolean {
  return names.some((name) => runLevelLabels.has(name));
}

/** The label rule of a duration: what the levels of these keys add, then status, namespace and, switched on, reason. */
export function durationLabelNames(
  ...levels: readonly ('pipelinerun' | 'taskrun')[]
): (settings: MetricsSettings) => readonly LabelName[] {
  return (settings) => [
    ...levels.flatMap((level) => addedBy(settings[`${level}Level`])),
    'status',
    'namespace',
    ...(settings.countEnableReason ? (['reason'] as const) : []),
  ];
}

/** The label rule of `*_total`: status and reason, whatever `metrics.count.enable-reason` says (section 2.2). */
export function totalLabelNames(_settings: MetricsSettings, { behaviour }: Profile): readonly LabelName[] {
  return behaviour.totalLabels;
}

/** The label rule of `running_pipelineruns`: each level carries the wider ones too, '' none at all. */
export function runningLabelNames({ runningPipelinerunLevel: level }: MetricsSettings): readonly LabelName[] {
  return level === '' ? [] : [...addedBy(level), 'namespace'];
}

/** The label rule of the throttle gauges. */
export function throttleLabelNames({ throttleEnableNamespace }: MetricsSettings): readonly LabelName[] {
  return throttleEnableNamespace ? ['namespace'] : [];
}

const labelValue: Readonly<Record<LabelName, (run: Run, finished: Finished | undefined) => string>> = {
  pipeline: (run) => run.pipeline,
  pipelinerun: (run) => run.pipelineRun,
  task: (run) => run.task,
  taskrun: (run) => run.name,
  status: (_run, finished) => finished?.status ?? '',
  namespace: (run) => run.namespace,
  reason: (_run, finished) => finished?.reason ?? '',
};

/** These labels of a run; `status` and `reason` speak of how it ended and are '' while it has not. */
export function labelsOf(names: readonly LabelName[], run: Run, finished?: Finished): Labels {
  const labels: Record<string, string> = {};
  for (const name of names) labels[name] = labelValue[name](run, finished);
  return labels;
}
