import type { MapName } from '../../../../config/settings.ts';
import type { KeyStage, Patch } from './key-stage.ts';

/** One key of section 2.2: a right edit and where it shows, a wrong edit and what is said to it. */
export interface KeyEdit {
  readonly map: MapName;
  readonly key: string;
  readonly value: string;
  /** Other keys that the value needs, in the same patch. */
  readonly beside?: Patch;
  /** An edit of another map before. */
  readonly before?: { readonly map: MapName; readonly data: Patch };
  /** It is another exporter of traces: built up to a second after the edit, and what ends before is not traced. */
  readonly traces?: true;
  /** Waits for what shows the edit and gives it in one line; rejects when it does not come. */
  readonly seen: (stage: KeyStage) => Promise<string>;
  readonly wrong: string;
  /** What a wrong value is told was expected. */
  readonly expected: string;
  /** What it is told came; the value itself where nothing stands here. */
  readonly got?: string;
}

type Row = Omit<KeyEdit, 'map'>;

const often = { 'metrics-export-interval': '100ms' };
const pushed = { 'metrics-protocol': 'http/protobuf', ...often };
const collected = { 'tracing-protocol': 'http/protobuf' };
const duration = 'a duration such as 30s, 1m30s or 500ms, from 100ms to 24h';
const endpoint = 'host:port, http://host:port or https://host:port';
const noUrl = {
  wrong: 'broker',
  expected: 'an absolute http:// or https:// URL',
  // A sink may hold a secret: no part of it is ever shown.
  got: 'a text that is no URL',
};

const typeOf = (metric: string) => new RegExp(`^# TYPE ${metric} gauge$`);
const ended = (kind: 'TaskRun' | 'PipelineRun', line: RegExp) => async (stage: KeyStage) => {
  await stage.run(kind, 'True/Succeeded/');
  return stage.line(line);
};
const running = (kind: 'TaskRun' | 'PipelineRun', condition: string, line: RegExp) => async (stage: KeyStage) => {
  const run = await stage.run(kind, condition);
  const shown = await stage.line(line);
  await run.condition('True/Succeeded/');
  return shown;
};

const observability: readonly Row[] = [
  {
    key: 'metrics-protocol',
    value: 'none',
    seen: (stage) => stage.answer('metrics', '404 metrics are not served here while metrics-protocol is none'),
    wrong: 'statsd',
    expected: 'prometheus | grpc | http/protobuf | none',
  },
  {
    key: 'metrics-endpoint',
    value: 'COLLECTOR',
    beside: pushed,
    seen: (stage) => stage.collected('metrics', 1),
    wrong: 'collector',
    expected: endpoint,
  },
  {
    key: 'metrics-export-interval',
    value: '100ms',
    beside: { 'metrics-protocol': 'http/protobuf', 'metrics-endpoint': 'COLLECTOR' },
    seen: (stage) => stage.collected('metrics', 5),
    wrong: '5x',
    expected: duration,
  },
  {
    key: 'metrics.taskrun.level',
    value: 'namespace',
    seen: ended('TaskRun', /^taskrun_duration_seconds_count\{status="success",namespace="keys"\} 1$/),
    wrong: 'pod',
    expected: 'taskrun | task | namespace',
  },
  {
    key: 'metrics.taskrun.duration-type',
    value: 'lastvalue',
    seen: ended('TaskRun', typeOf('taskrun_duration_seconds')),
    wrong: 'gauge',
    expected: 'histogram | lastvalue',
  },
  {
    key: 'metrics.pipelinerun.level',
    value: 'namespace',
    seen: ended('PipelineRun', /^pipelinerun_duration_seconds_count\{status="success",namespace="keys"\} 1$/),
    wrong: 'cluster',
    expected: 'pipelinerun | pipeline | namespace',
  },
  {
    key: 'metrics.pipelinerun.duration-type',
    value: 'lastvalue',
    seen: ended('PipelineRun', typeOf('pipelinerun_duration_seconds')),
    wrong: 'summary',
    expected: 'histogram | lastvalue',
  },
  {
    key: 'metrics.running-pipelinerun.level',
    value: 'namespace',
    seen: running('PipelineRun', 'Unknown/Running/', /^running_pipelineruns\{namespace="keys"\} 1$/),
    wrong: 'cluster',
    expected: 'pipelinerun | pipeline | namespace | "" (empty)',
  },
  {
    key: 'metrics.count.enable-reason',
    value: 'true',
    seen: ended('TaskRun', /^taskrun_duration_seconds_count\{.*reason="Succeeded".*\} 1$/),
    wrong: 'yes',
    expected: 'true | false',
  },
  {
    key: 'metrics.taskrun.throttle.enable-namespace',
    value: 'true',
    seen: running(
      'TaskRun',
      'Unknown/ExceededResourceQuota/',
      /^running_taskruns_throttled_by_quota\{namespace="keys"\} 1$/,
    ),
    wrong: 'True',
    expected: 'true | false',
  },
  {
    key: 'metrics.series-limit',
    value: '100',
    seen: async (stage) => {
      await stage.manyTasks(101);
      return stage.line(/^taskrun_duration_seconds_count\{.*_overflow.*\} [1-9]\d*$/);
    },
    wrong: '99',
    expected: 'a whole number from 100 to 1000000',
  },
  {
    key: 'metrics.otlp.histogram-aggregation',
    value: 'base2_exponential_bucket_histogram',
    beside: { ...pushed, 'metrics-endpoint': 'COLLECTOR' },
    seen: async (stage) => {
      await stage.run('TaskRun', 'True/Succeeded/');
      return stage.collectedExponential();
    },
    wrong: 'exponential',
    expected: 'explicit_bucket_histogram | base2_exponential_bucket_histogram',
  },
  {
    key: 'tracing-protocol',
    value: 'stdout',
    traces: true,
    seen: (stage) => stage.printedSpan(),
    wrong: 'zipkin',
    expected: 'grpc | http/protobuf | none | stdout',
  },
  {
    key: 'tracing-endpoint',
    value: 'COLLECTOR',
    beside: collected,
    traces: true,
    seen: async (stage) => {
      await stage.run('TaskRun', 'True/Succeeded/');
      return stage.collected('spans', 1);
    },
    wrong: 'collector:0',
    expected: endpoint,
  },
  {
    key: 'tracing-sampling-rate',
    value: '0.0',
    beside: { 'tracing-protocol': 'stdout' },
    traces: true,
    seen: (stage) => stage.told('TaskRun', 'without a traceparent'),
    wrong: '1.5',
    expected: 'a decimal from 0.0 to 1.0',
  },
  {
    key: 'runtime-profiling',
    value: 'enabled',
    seen: (stage) => stage.answer('profiling', '200'),
    wrong: 'true',
    expected: 'enabled | disabled',
  },
  {
    key: 'runtime-export-interval',
    value: '100ms',
    seen: (stage) => stage.changing('process_cpu_seconds_total'),
    wrong: 'soon',
    expected: duration,
  },
];

const events: readonly Row[] = [
  {
    key: 'formats',
    value: 'svcv1',
    seen: (stage) => stage.told('TaskRun'),
    wrong: '',
    expected: 'a comma-separated list of svcv1',
  },
  { key: 'sink', value: 'OTHER', seen: (stage) => stage.told('TaskRun', 'at OTHER'), ...noUrl },
];

const defaults: readonly Row[] = [
  {
    key: 'default-cloud-events-sink',
    value: 'OTHER',
    before: { map: 'config-events', data: { sink: null } },
    seen: (stage) => stage.told('TaskRun', 'at OTHER'),
    ...noUrl,
  },
];

const flags: readonly Row[] = [
  {
    key: 'send-cloudevents-for-runs',
    value: 'true',
    seen: (stage) => stage.told('CustomRun'),
    wrong: 'True',
    expected: 'true | false',
  },
];

const tables = {
  'config-observability': observability,
  'config-events': events,
  'config-defaults': defaults,
  'feature-flags': flags,
} as const;

/** Every key of the four maps; a spec checks that none is missing. */
export const keyEdits: readonly KeyEdit[] = Object.entries(tables).flatMap(([map, rows]) =>
  rows.map((row) => ({ map: map as MapName, ...row })),
);
