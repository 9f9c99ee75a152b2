import type { HistogramAggregation } from '../lib/metrics/settings.ts';

/** The names of the four config maps (interface document, section 2.2). */
export const mapNames = ['config-observability', 'config-events', 'config-defaults', 'feature-flags'] as const;

export type MapName = (typeof mapNames)[number];

type MetricsProtocol = 'prometheus' | 'grpc' | 'http/protobuf' | 'none';
type TracingProtocol = 'grpc' | 'http/protobuf' | 'none' | 'stdout';
type TaskRunLevel = 'taskrun' | 'task' | 'namespace';
type PipelineRunLevel = 'pipelinerun' | 'pipeline' | 'namespace';
type DurationType = 'histogram' | 'lastvalue';

/** `config-observability`. Durations in milliseconds; undefined means the key has no value. */
export interface ObservabilitySettings {
  readonly metricsProtocol: MetricsProtocol;
  readonly metricsEndpoint: string | undefined;
  readonly metricsExportIntervalMs: number | undefined;
  readonly taskrunLevel: TaskRunLevel;
  readonly taskrunDurationType: DurationType;
  readonly pipelinerunLevel: PipelineRunLevel;
  readonly pipelinerunDurationType: DurationType;
  /** '' is the cluster level: no labels. */
  readonly runningPipelinerunLevel: PipelineRunLevel | '';
  /** `reason` on the durations. */
  readonly countEnableReason: boolean;
  readonly throttleEnableNamespace: boolean;
  /** Series that one metric may have before new label values become `_overflow`. */
  readonly seriesLimit: number;
  /** What histograms are over OTLP. */
  readonly histogramAggregation: HistogramAggregation;
  readonly tracingProtocol: TracingProtocol;
  readonly tracingEndpoint: string | undefined;
  /** 0 to 1. */
  readonly tracingSamplingRate: number;
  readonly runtimeProfiling: boolean;
  readonly runtimeExportIntervalMs: number;
}

/** `config-events`. */
export interface EventsSettings {
  readonly formats: readonly string[];
  /** Where events go; undefined: nowhere from this map. */
  readonly sink: string | undefined;
}

/** `config-defaults`. */
export interface DefaultsSettings {
  readonly defaultCloudEventsSink: string | undefined;
}

/** `feature-flags`. */
export interface FlagSettings {
  readonly sendCloudEventsForRuns: boolean;
}

/** What is in force, one typed value a map. */
export interface Settings {
  readonly 'config-observability': ObservabilitySettings;
  readonly 'config-events': EventsSettings;
  readonly 'config-defaults': DefaultsSettings;
  readonly 'feature-flags': FlagSettings;
}
