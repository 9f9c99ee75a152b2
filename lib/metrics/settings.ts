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
  runtimeExportIntervalMs: 15_000,
};
