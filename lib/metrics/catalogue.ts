import type { Profile } from '../profile.ts';
import type { Kind } from '../run/kind.ts';
import type { LabelName } from './labels.ts';
import { durationLabelNames, runningLabelNames, throttleLabelNames, totalLabelNames } from './labels.ts';
import type { MetricsSettings } from './settings.ts';

/** One row of the interface document's section 2.3, and what this controller decided about it. */
export interface CatalogueRow {
  /** Without the profile's prefix. */
  readonly name: string;
  /** A `duration` is a histogram or a gauge: see `shapeOf`. */
  readonly type: 'counter' | 'gauge' | 'histogram' | 'duration';
  /** One sentence without a newline: a newline in HELP would end the line and break the whole scrape. */
  readonly help: string;
  /** The kind whose runs it speaks of; undefined: of none. */
  readonly kind: Kind | undefined;
  /** Label names in the order of section 2.3. */
  readonly labels: (settings: MetricsSettings, profile: Profile) => readonly LabelName[];
  /** Which duration-type key governs a duration whose labels name no single run. */
  readonly durationType?: 'taskrunDurationType' | 'pipelinerunDurationType';
  /** Upper bounds, for what is or may be a histogram. */
  readonly buckets?: readonly number[];
}

/** Seconds; from ten seconds to a day, as long as runs last. */
const durationBuckets = [10, 30, 60, 300, 900, 1800, 3600, 5400, 10_800, 21_600, 43_200, 86_400];

/** Milliseconds; from a cached read to the API server's own request timeout. */
const latencyBuckets = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000];

/** Every metric of section 2.3, in its order. */
export const catalogue = [
  {
    name: 'pipelinerun_duration_seconds',
    type: 'duration',
    help: 'Seconds from start to completion of PipelineRuns.',
    kind: 'PipelineRun',
    labels: durationLabelNames('pipelinerun'),
    durationType: 'pipelinerunDurationType',
    buckets: durationBuckets,
  },
  {
    name: 'pipelinerun_taskrun_duration_seconds',
    type: 'duration',
    help: 'Seconds from start to completion of TaskRuns inside PipelineRuns.',
    kind: 'TaskRun',
    labels: durationLabelNames('pipelinerun', 'taskrun'),
    durationType: 'taskrunDurationType',
    buckets: durationBuckets,
  },
  {
    name: 'pipelinerun_total',
    type: 'counter',
    help: 'PipelineRuns that finished.',
    kind: 'PipelineRun',
    labels: totalLabelNames,
  },
  {
    name: 'running_pipelineruns',
    type: 'gauge',
    help: 'PipelineRuns that are running.',
    kind: 'PipelineRun',
    labels: runningLabelNames,
  },
  {
    name: 'taskrun_duration_seconds',
    type: 'duration',
    help: 'Seconds from start to completion of TaskRuns outside PipelineRuns.',
    kind: 'TaskRun',
    labels: durationLabelNames('taskrun'),
    durationType: 'taskrunDurationType',
    buckets: durationBuckets,
  },
  {
    name: 'taskrun_total',
    type: 'counter',
    help: 'TaskRuns that finished, inside PipelineRuns or not.',
    kind: 'TaskRun',
    labels: totalLabelNames,
  },
  {
    name: 'running_taskruns',
    type: 'gauge',
    help: 'TaskRuns that are running, throttled ones included.',
    kind: 'TaskRun',
    labels: () => [],
  },
  {
    name: 'running_taskruns_throttled_by_quota',
    type: 'gauge',
    help: 'Running TaskRuns that wait because a resource quota is used up.',
    kind: 'TaskRun',
    labels: throttleLabelNames,
  },
  {
    name: 'running_taskruns_throttled_by_node',
    type: 'gauge',
    help: 'Running TaskRuns that wait because no node has room for them.',
    kind: 'TaskRun',
    labels: throttleLabelNames,
  },
  {
    name: 'client_latency',
    type: 'histogram',
    help: 'Milliseconds that requests to the API server took, watches excepted.',
    kind: undefined,
    labels: () => [],
    buckets: latencyBuckets,
  },
] as const satisfies readonly CatalogueRow[];

export type MetricName = (typeof catalogue)[number]['name'];

const rowByName = new Map<MetricName, CatalogueRow>(catalogue.map((row) => [row.name, row]));

/** The row of that name. */
export function catalogueRow(name: MetricName): CatalogueRow {
  const row = rowByName.get(name);
  if (row === undefined) throw new Error(`metric: expected a name of the catalogue, got "${name}"`);
  return row;
}
