/** In OpenTelemetry's own words: the values of `OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION`. */
export type HistogramAggregation = 'explicit_bucket_histogram' | 'base2_exponential_bucket_histogram';

/** The settings that shape metrics (interface document, section 2.2); `ObservabilitySettings` is one. */
export interface MetricsSettings {
  readonly taskrunLevel: 'taskrun' | 'task' | 'namespace';
  readonly taskrunDurationType: 'histogram' | 'lastvalue';
  readonly pipelinerunLevel: 'pipelinerun' | 'pipeline' | 'namespace';
  readonly pipelinerunDurationType: 'histogram' | 'lastvalue';
  /** '' is the cluster level: no labels. */
  readonly runningPipelinerunLevel: 'pipelinerun' | 'pipeline' | 'namespace' | '';
  /** `reason` on the durations. */
  readonly countEnableReason: boolean;
  readonly throttleEnableNamespace: boolean;
  /** Series that one metric may have before new label values become `_overflow`. */
  readonly seriesLimit: number;
  /** What histograms are over OTLP; a scrape has explicit buckets in any case. */
  readonly histogramAggregation: HistogramAggregation;
  /** How old `process_*` and `nodejs_*` may be when they are shown, ms. */
  readonly runtimeExportIntervalMs: number;
}

/** What holds until the first config map has been read: the defaults of section 2.2. */
export const defaultMetricsSettings: MetricsSettings = {
  taskrunLevel: 'task',
  taskrunDurationType: 'histogram',
  pipelinerunLevel: 'pipeline',
  pipelinerunDurationType: 'histogram',
  runningPipelinerunLevel: '',
  countEnableReason: false,
  throttleEnableNamespace: false,
  seriesLimit: 10_000,
  histogramAggregation: 'explicit_bucket_histogram',
  runtimeExportIntervalMs: 15_000,
};
