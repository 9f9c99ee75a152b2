import { Registry } from 'prom-client';
import type { Log } from '../../log.ts';
import { catalogue, catalogueRow } from '../../metrics/catalogue.ts';
import type { SpanOf } from '../../metrics/exemplar.ts';
import type { Format } from '../../metrics/exposition.ts';
import type { Measure } from '../../metrics/own.ts';
import { defaultMetricsSettings, type MetricsSettings } from '../../metrics/settings.ts';
import type { Profile } from '../../profile.ts';
import type { Kind } from '../../run/kind.ts';
import type { Step } from '../../run/step.ts';
import type { MetricHost } from './bounded-metric.ts';
import { createMeasure } from './create-measure.ts';
import { FinishedRuns } from './finished-runs.ts';
import { createInstrument } from './instrument.ts';
import { renderRegistry } from './render-registry.ts';
import { RunningRuns } from './running-runs.ts';
import { addRuntimeMetrics } from './runtime-metrics.ts';
import { shareRendering } from './share-rendering.ts';
import { WalkableHistogram } from './walkable-histogram.ts';

export interface MetricsOptions {
  readonly profile: Profile;
  /** Milliseconds on a clock that goes forward. */
  readonly now: () => number;
  /** Ms since the epoch: Date.now by default. */
  readonly wallMs?: () => number;
  readonly log: Log;
  /** Of this controller and of Node, for `build_info`. */
  readonly version: string;
  readonly nodeVersion: string;
  /** Whether `process_*` and `nodejs_*` are there too: true by default. They cost a timer every 10 ms. */
  readonly runtimeMetrics?: boolean;
  /** Bounds of what is remembered; see FinishedRuns and RunningRuns. */
  readonly maxHolding?: number;
  readonly maxRunningRuns?: number;
}

/** Everything this controller counts, and the page that says it. */
export interface Metrics {
  /** For exporters: every value, whatever `metrics-protocol` says. */
  readonly registry: Registry;
  /** What the controller says about itself. */
  readonly measure: Measure;
  /** Takes up new settings at once: durations whose shape changes start empty, everything else keeps its values. */
  apply(settings: MetricsSettings): void;
  /** Follows one observed version of a run; one that finished leaves its span as exemplar, where it has one. */
  record(step: Step, spanOf?: SpanOf): void;
  /** Runs are no longer traced. */
  forgetExemplars(): void;
  /** Shows the running gauges of a kind, once it is synced, or hides them; they count either way. */
  setRunGauges(kind: Kind, visible: boolean): void;
  /** Forgets what runs of a kind, and lets series that speak of its single runs go: we do not watch it any more. */
  forgetAll(kind: Kind): void;
  /** Adds one request to `client_latency`, ms; watches are not told. */
  observeClientLatency(ms: number): void;
  /** The exposition in chunks; scrapes of one format that come together share one rendering. */
  render(format: Format): AsyncIterable<string>;
}

/** The metrics of section 2.3 and our own, over a registry of their own, under the defaults of section 2.2. */
export function createMetrics(options: MetricsOptions): Metrics {
  const {
    profile,
    now,
    wallMs = Date.now,
    log,
    version,
    nodeVersion,
    maxHolding = 100_000,
    maxRunningRuns = 500_000,
  } = options;
  const registry = new Registry();
  const measure = createMeasure(registry, profile.metricPrefix);
  let settings = defaultMetricsSettings;
  const host: MetricHost = { registry, measure, seriesLimit: () => settings.seriesLimit };
  const running = new RunningRuns({ host, profile, settings, maxRuns: maxRunningRuns });
  const finished = new FinishedRuns({ host, profile, settings, now, wallMs, log, maxHolding });
  const latency = createLatency(host, profile);
  for (const { name } of catalogue) measure.count('series_overflow_total', { metric: profile.metricPrefix + name }, 0);
  measure.set('build_info', 1, { version, node: nodeVersion, profile: profile.name });
  measure.set('series_limit', settings.seriesLimit);
  if (options.runtimeMetrics ?? true) {
    addRuntimeMetrics(registry, { intervalMs: () => settings.runtimeExportIntervalMs, now });
  }

  return {
    registry,
    measure,
    apply(next) {
      settings = next;
      measure.set('series_limit', next.seriesLimit);
      running.apply(next);
      finished.apply(next);
      const exponential = next.histogramAggregation === 'base2_exponential_bucket_histogram';
      for (const histogram of histogramsOf(registry)) histogram.countExponentially(exponential, wallMs());
    },
    record(step, spanOf) {
      running.record(step);
      if (step.finished !== undefined || step.after === undefined) finished.record(step, spanOf);
    },
    forgetExemplars() {
      for (const histogram of histogramsOf(registry)) histogram.forgetExemplars();
    },
    setRunGauges: (kind, visible) => running.show(kind, visible),
    forgetAll(kind) {
      running.forgetAll(kind);
      finished.forgetAll(kind);
    },
    observeClientLatency: (ms) => latency.write({}, ms),
    render: shareRendering((format) => renderRegistry(registry, format), now),
  };
}

function createLatency({ registry, measure }: MetricHost, { metricPrefix }: Profile) {
  const { name, help, buckets } = catalogueRow('client_latency');
  measure.set('series', 1, { metric: metricPrefix + name });
  return createInstrument({ registry, name: metricPrefix + name, help, type: 'histogram', labelNames: [], buckets });
}

function histogramsOf(registry: Registry): readonly WalkableHistogram[] {
  const metrics = registry.getMetricsAsArray().map(({ name }) => registry.getSingleMetric(name));
  return metrics.filter((metric) => metric instanceof WalkableHistogram);
}
