import type { Log } from '../../log.ts';
import { type CatalogueRow, catalogue } from '../../metrics/catalogue.ts';
import type { Exemplar, SpanOf } from '../../metrics/exemplar.ts';
import { samplesOf } from '../../metrics/samples.ts';
import type { MetricsSettings } from '../../metrics/settings.ts';
import { type Shape, sameShape, shapeOf } from '../../metrics/shape.ts';
import type { Profile } from '../../profile.ts';
import type { Kind } from '../../run/kind.ts';
import type { Step } from '../../run/step.ts';
import { BoundedMetric, type MetricHost } from './bounded-metric.ts';
import { DurationMetric } from './duration-metric.ts';

interface FinishedRunsOptions {
  readonly host: MetricHost;
  readonly profile: Profile;
  readonly settings: MetricsSettings;
  readonly now: () => number;
  /** Ms since the epoch: when an exemplar was counted. */
  readonly wallMs: () => number;
  readonly log: Log;
  /** Finished runs remembered by one duration whose series leave with them: 100,000 by default, about 10 MB. */
  readonly maxHolding?: number;
}

const durationRows: readonly CatalogueRow[] = catalogue.filter(({ type }) => type === 'duration');
const counterRows: readonly CatalogueRow[] = catalogue.filter(({ type }) => type === 'counter');

/** The counters and durations of runs that are over. */
export class FinishedRuns {
  readonly #options: FinishedRunsOptions;
  readonly #counters = new Map<string, BoundedMetric>();
  readonly #durations = new Map<string, { readonly row: CatalogueRow; readonly metric: DurationMetric }>();
  #settings: MetricsSettings;

  constructor(options: FinishedRunsOptions) {
    this.#options = options;
    this.#settings = options.settings;
    for (const row of counterRows) this.#counters.set(row.name, this.#createCounter(row));
    for (const row of durationRows) this.#replace(row, this.#shapeOf(row));
  }

  /** Counts and times a run that finished, with its span as exemplar; lets the series of a deleted one go. */
  record(step: Step, spanOf?: SpanOf): void {
    for (const { metric, labels, value } of samplesOf(step, this.#settings, this.#options.profile)) {
      const counter = this.#counters.get(metric);
      if (counter !== undefined) counter.write(counter.place(labels), value);
      const duration = this.#durations.get(metric)?.metric;
      duration?.record(step.after?.uid ?? '', labels, value, this.#exemplarOf(step, value, spanOf));
    }
    if (step.after === undefined)
      for (const { metric } of this.#durations.values()) metric.release(step.before?.uid ?? '');
    if (step.after === undefined || step.finished !== undefined) this.#tellHolding();
  }

  /** Takes up new settings: a duration whose type or labels change starts empty; counters keep what they have. */
  apply(settings: MetricsSettings): void {
    const old = new Map(durationRows.map((row) => [row, this.#shapeOf(row)]));
    this.#settings = settings;
    for (const [row, was] of old) {
      const shape = this.#shapeOf(row);
      if (!sameShape(was, shape)) this.#replace(row, shape);
    }
    this.#tellHolding();
  }

  /** Lets every series that speaks of single runs of this kind go. */
  forgetAll(kind: Kind): void {
    for (const { row, metric } of this.#durations.values()) if (row.kind === kind) metric.releaseAll();
    this.#tellHolding();
  }

  #exemplarOf({ observed }: Step, value: number, spanOf: SpanOf | undefined): Exemplar | undefined {
    const span = observed && spanOf?.(observed);
    return span && { traceId: span.traceId, spanId: span.spanId, value, atMs: this.#options.wallMs() };
  }

  #shapeOf(row: CatalogueRow): Shape {
    return shapeOf(row, this.#settings, this.#options.profile);
  }

  #createCounter(row: CatalogueRow): BoundedMetric {
    const { host, profile } = this.#options;
    const { labelNames } = this.#shapeOf(row);
    return new BoundedMetric({
      host,
      name: profile.metricPrefix + row.name,
      help: row.help,
      type: 'counter',
      labelNames,
    });
  }

  #replace(row: CatalogueRow, { type, labelNames, leaves, overruled }: Shape): void {
    const { host, profile, now, log, maxHolding = 100_000 } = this.#options;
    const name = profile.metricPrefix + row.name;
    const { help, buckets } = row;
    host.registry.removeSingleMetric(name);
    const metric = new DurationMetric({ host, name, help, type, labelNames, buckets, now, leaves, maxHolding });
    this.#durations.set(row.name, { row, metric });
    if (overruled)
      log.info({ metric: name }, 'a duration that names single runs is a gauge, whatever its duration-type');
  }

  #tellHolding(): void {
    const sum = this.#durations.values().reduce((held, { metric }) => held + metric.holding, 0);
    this.#options.host.measure.set('series_holding_runs', sum);
  }
}
