import type { Exemplar } from '../../metrics/exemplar.ts';
import type { Labels } from '../../metrics/labels.ts';
import type { Series } from '../../metrics/series-table.ts';
import { BoundedMetric, type BoundedMetricOptions } from './bounded-metric.ts';

interface DurationMetricOptions extends Omit<BoundedMetricOptions, 'collect' | 'makeRoom'> {
  /** Milliseconds on any clock that goes forward. */
  readonly now: () => number;
  /** Series speak of runs that exist, and go some time after the last of them is deleted. */
  readonly leaves: boolean;
  /** Finished runs remembered for that; past it those that finished first count as deleted. */
  readonly maxHolding: number;
}

/** How long a series stays after its last run: any scrape interval in use sees the last value. */
const lingerMs = 5 * 60_000;

/**
 * Durations of one kind of run, by label set.
 *
 * Where series leave, each is held by the runs it speaks of; five minutes after the last of them is gone, the next
 * reading drops it. Nothing waits on a timer.
 */
export class DurationMetric {
  readonly #options: DurationMetricOptions;
  readonly #metric: BoundedMetric;
  /** The series that a finished run speaks in, by uid, oldest first. */
  readonly #held = new Map<string, Series>();
  readonly #holders = new Map<Series, number>();
  /** When a series without holders goes, soonest first. */
  readonly #leaving = new Map<Series, number>();

  constructor(options: DurationMetricOptions) {
    this.#options = options;
    const sweep = () => this.#sweep();
    this.#metric = new BoundedMetric({ ...options, collect: sweep, makeRoom: sweep });
  }

  /** How many finished runs hold a series. */
  get holding(): number {
    return this.#held.size;
  }

  /** Adds one run's seconds to the series of its labels. */
  record(uid: string, labels: Labels, seconds: number, exemplar?: Exemplar): void {
    const series = this.#metric.place(labels);
    this.#metric.write(series, seconds, exemplar);
    if (this.#options.leaves) this.#hold(uid, series);
  }

  /** Says that a run is gone. */
  release(uid: string): void {
    const series = this.#held.get(uid);
    if (series === undefined) return;
    this.#held.delete(uid);
    const holders = (this.#holders.get(series) ?? 1) - 1;
    if (holders > 0) {
      this.#holders.set(series, holders);
      return;
    }
    this.#holders.delete(series);
    this.#leaving.set(series, this.#options.now() + lingerMs);
  }

  /** Says that nothing more will be heard of any run. */
  releaseAll(): void {
    for (const uid of [...this.#held.keys()]) this.release(uid);
  }

  #hold(uid: string, series: Series): void {
    this.release(uid);
    if (this.#held.size >= this.#options.maxHolding) this.#forgetOldest();
    this.#held.set(uid, series);
    this.#holders.set(series, (this.#holders.get(series) ?? 0) + 1);
    this.#leaving.delete(series);
  }

  /** A hundredth at once: a Map finds its oldest entry only by stepping over those deleted before it. */
  #forgetOldest(): void {
    const uids = [...this.#held.keys().take(Math.ceil(this.#options.maxHolding / 100))];
    for (const uid of uids) this.release(uid);
    this.#options.host.measure.count('series_holding_runs_forgotten_total', {}, uids.length);
  }

  #sweep(): void {
    const now = this.#options.now();
    for (const [series, atMs] of this.#leaving) {
      if (atMs > now) return;
      this.#leaving.delete(series);
      this.#metric.drop(series);
    }
  }
}
