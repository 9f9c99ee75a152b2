import type { Registry } from 'prom-client';
import type { Exemplar } from '../../metrics/exemplar.ts';
import type { Labels } from '../../metrics/labels.ts';
import type { Measure } from '../../metrics/own.ts';
import { type Series, SeriesTable } from '../../metrics/series-table.ts';
import { createInstrument, type Instrument, type InstrumentOptions } from './instrument.ts';

/** What all metrics with open label sets share. */
export interface MetricHost {
  readonly registry: Registry;
  readonly measure: Measure;
  /** The series limit in force. */
  readonly seriesLimit: () => number;
}

export interface BoundedMetricOptions extends Omit<InstrumentOptions, 'registry'> {
  readonly host: MetricHost;
  /** Called before a label set is refused: may drop those that have served. */
  readonly makeRoom?: () => void;
}

/** A metric whose label sets never outgrow the series limit, and that says how many it has. */
export class BoundedMetric {
  readonly #options: BoundedMetricOptions;
  readonly #table: SeriesTable;
  readonly #instrument: Instrument;

  constructor(options: BoundedMetricOptions) {
    this.#options = options;
    this.#table = new SeriesTable(options.labelNames);
    this.#instrument = createInstrument({ ...options, registry: options.host.registry });
    if (options.labelNames.length === 0) this.place({});
    this.#tellSize();
  }

  /** The series that these labels belong to; the limit may have made it one with `_overflow`. */
  place(labels: Labels): Series {
    const { host, makeRoom, name } = this.#options;
    const limit = host.seriesLimit();
    if (makeRoom !== undefined && !this.#table.hasRoom(limit) && this.#table.find(labels) === undefined) makeRoom();
    const before = this.#table.size;
    const { series, overflowed } = this.#table.place(labels, limit);
    if (overflowed) host.measure.count('series_overflow_total', { metric: name });
    if (this.#table.size !== before) this.#tellSize();
    return series;
  }

  /** Adds to a counter, sets a gauge, observes in a histogram, which alone keeps an exemplar. */
  write({ labels }: Series, value: number, exemplar?: Exemplar): void {
    this.#instrument.write(labels, value, exemplar);
  }

  /** Forgets a series and its value. */
  drop(series: Series): void {
    this.#table.drop(series);
    this.#instrument.remove(series.labels);
    this.#tellSize();
  }

  /** Whether a scrape shows it. Values are kept either way. */
  show(visible: boolean): void {
    const { host, name } = this.#options;
    if (visible) host.registry.registerMetric(this.#instrument.metric);
    else host.registry.removeSingleMetric(name);
  }

  #tellSize(): void {
    this.#options.host.measure.set('series', this.#table.size, { metric: this.#options.name });
  }
}
