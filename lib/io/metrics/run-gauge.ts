import type { Labels } from '../../metrics/labels.ts';
import type { Series } from '../../metrics/series-table.ts';
import { BoundedMetric, type BoundedMetricOptions } from './bounded-metric.ts';

interface RunGaugeOptions extends Omit<BoundedMetricOptions, 'type' | 'collect' | 'makeRoom'> {
  /** What becomes of a labelled series that counts no run any more. */
  readonly atZero: 'gone' | 'kept';
}

/**
 * How many runs there are now, by label set.
 *
 * A labelled series that falls to 0 is read as 0 once and then leaves, so that a graph ends on the axis and not above
 * it. Without labels there is always one series.
 */
export class RunGauge {
  readonly #metric: BoundedMetric;
  readonly #counts = new WeakMap<Series, number>();
  /** Series at 0, and whether a scrape has seen them so. */
  readonly #zeros = new Map<Series, boolean>();
  readonly #leaves: boolean;

  constructor({ atZero, ...options }: RunGaugeOptions) {
    this.#leaves = atZero === 'gone' && options.labelNames.length > 0;
    const collect = () => this.#collect();
    const makeRoom = () => this.#dropZeros(() => true);
    this.#metric = new BoundedMetric({ ...options, type: 'gauge', collect, makeRoom });
  }

  /** Counts one run in; the series it is in from now on, to be handed back to `leave`. */
  enter(labels: Labels): Series {
    const series = this.#metric.place(labels);
    this.#set(series, (this.#counts.get(series) ?? 0) + 1);
    return series;
  }

  /** Counts one run out of the series that `enter` gave. */
  leave(series: Series): void {
    this.#set(series, (this.#counts.get(series) ?? 0) - 1);
  }

  /** Whether a scrape shows it. */
  show(visible: boolean): void {
    this.#metric.show(visible);
  }

  #set(series: Series, count: number): void {
    this.#counts.set(series, count);
    this.#metric.write(series, count);
    if (!this.#leaves) return;
    if (count > 0) this.#zeros.delete(series);
    else this.#zeros.set(series, false);
  }

  #collect(): void {
    this.#dropZeros((seen) => seen);
    for (const series of this.#zeros.keys()) this.#zeros.set(series, true);
  }

  #dropZeros(when: (seen: boolean) => boolean): void {
    for (const [series, seen] of this.#zeros) {
      if (!when(seen)) continue;
      this.#zeros.delete(series);
      this.#metric.drop(series);
    }
  }
}
