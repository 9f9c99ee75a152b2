import type { Profile } from '../../lib/profile.ts';
import { duration } from '../formats/duration.ts';
import { endpoint } from '../formats/endpoint.ts';
import { oneOf } from '../formats/one-of.ts';
import { orUnset } from '../formats/or-unset.ts';
import { rate } from '../formats/rate.ts';
import { truth } from '../formats/truth.ts';
import { whole } from '../formats/whole.ts';
import type { ObservabilitySettings } from '../settings.ts';
import type { MapSchema } from './map-schema.ts';
import { observabilityFindings } from './observability-findings.ts';
import { switchFormat } from './switch-format.ts';

// Faster than ten a second floods the receiver; slower than once a day no dashboard shows.
const interval = duration({ minMs: 100, maxMs: 86_400_000 });

/** The keys of `config-observability` (interface document, section 2.2) and two of our own: the series limit, and histograms over OTLP. */
export function observabilityMap(profile: Profile): MapSchema<ObservabilitySettings> {
  return {
    unknownKeys: 'every',
    findings: (settings, given) => observabilityFindings(settings, given, profile),
    rows: {
      metricsProtocol: {
        key: 'metrics-protocol',
        format: oneOf('prometheus', 'grpc', 'http/protobuf', 'none'),
        default: 'prometheus',
        doc: 'How metrics leave: scraped at /metrics, pushed over OTLP, or not at all.',
        example: 'grpc',
      },
      metricsEndpoint: {
        key: 'metrics-endpoint',
        format: orUnset(endpoint),
        default: '',
        doc: 'Where metrics are pushed. Needed with grpc and http/protobuf.',
        example: 'collector.observability:4317',
      },
      metricsExportIntervalMs: {
        key: 'metrics-export-interval',
        format: orUnset(interval),
        default: '',
        doc: 'Time between two pushes of metrics.',
        example: '30s',
      },
      taskrunLevel: {
        key: 'metrics.taskrun.level',
        format: oneOf('taskrun', 'task', 'namespace'),
        default: 'task',
        doc: 'Labels of TaskRun durations: taskrun adds task and taskrun, task adds task, namespace neither. The level taskrun makes a series for each run.',
        example: 'namespace',
      },
      taskrunDurationType: {
        key: 'metrics.taskrun.duration-type',
        format: oneOf('histogram', 'lastvalue'),
        default: 'histogram',
        doc: 'Type of the TaskRun durations: buckets, or a gauge with the last duration. At level taskrun it is a gauge in any case.',
        example: 'lastvalue',
      },
      pipelinerunLevel: {
        key: 'metrics.pipelinerun.level',
        format: oneOf('pipelinerun', 'pipeline', 'namespace'),
        default: 'pipeline',
        doc: 'Labels of PipelineRun durations: pipelinerun adds pipeline and pipelinerun, pipeline adds pipeline, namespace neither. The level pipelinerun makes a series for each run.',
        example: 'namespace',
      },
      pipelinerunDurationType: {
        key: 'metrics.pipelinerun.duration-type',
        format: oneOf('histogram', 'lastvalue'),
        default: 'histogram',
        doc: 'Type of the PipelineRun durations: buckets, or a gauge with the last duration. At level pipelinerun it is a gauge in any case.',
        example: 'lastvalue',
      },
      runningPipelinerunLevel: {
        key: 'metrics.running-pipelinerun.level',
        format: oneOf('pipelinerun', 'pipeline', 'namespace', ''),
        default: '',
        doc: 'Labels of the gauge of running PipelineRuns; empty is one number for the cluster.',
        example: 'namespace',
      },
      countEnableReason: {
        key: 'metrics.count.enable-reason',
        format: truth,
        default: 'false',
        doc: 'Adds the label reason to the durations. The totals carry it in any case.',
        example: 'true',
      },
      throttleEnableNamespace: {
        key: 'metrics.taskrun.throttle.enable-namespace',
        format: truth,
        default: 'false',
        doc: 'Adds the label namespace to the gauges of throttled TaskRuns.',
        example: 'true',
      },
      seriesLimit: {
        key: 'metrics.series-limit',
        format: whole({ min: 100, max: 1_000_000 }),
        default: '10000',
        doc: 'Series that one metric may have; past it new label values become _overflow.',
        example: '50000',
      },
      histogramAggregation: {
        key: 'metrics.otlp.histogram-aggregation',
        format: oneOf('explicit_bucket_histogram', 'base2_exponential_bucket_histogram'),
        default: 'explicit_bucket_histogram',
        doc: 'What histograms are over OTLP: the buckets of the scrape, or exponential ones that begin when this is switched on.',
        example: 'base2_exponential_bucket_histogram',
      },
      tracingProtocol: {
        key: 'tracing-protocol',
        format: oneOf('grpc', 'http/protobuf', 'none', 'stdout'),
        default: 'none',
        doc: 'How traces of runs leave: pushed over OTLP, written to standard output, or not at all.',
        example: 'http/protobuf',
      },
      tracingEndpoint: {
        key: 'tracing-endpoint',
        format: orUnset(endpoint),
        default: '',
        doc: 'Where traces are pushed. Needed with grpc and http/protobuf.',
        example: 'https://collector.observability:4318',
      },
      tracingSamplingRate: {
        key: 'tracing-sampling-rate',
        format: rate,
        default: '1.0',
        doc: 'Share of runs that are traced.',
        example: '0.1',
      },
      runtimeProfiling: {
        key: 'runtime-profiling',
        format: switchFormat,
        default: 'disabled',
        doc: 'Whether profiles are served at /debug/pprof/ on the profiling port.',
        example: 'enabled',
      },
      runtimeExportIntervalMs: {
        key: 'runtime-export-interval',
        format: { ...interval, parse: (text) => interval.parse(text || '15s') },
        default: '15s',
        doc: 'How old process_* and nodejs_* metrics may be before they are taken anew.',
        example: '1m',
      },
    },
  };
}
