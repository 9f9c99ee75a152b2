import { type CatalogueRow, catalogue, type MetricName } from '../../metrics/catalogue.ts';
import { gaugesOf, sameGauges } from '../../metrics/samples.ts';
import type { Series } from '../../metrics/series-table.ts';
import type { MetricsSettings } from '../../metrics/settings.ts';
import { sameShape, shapeOf } from '../../metrics/shape.ts';
import type { Profile } from '../../profile.ts';
import type { Kind } from '../../run/kind.ts';
import type { Run } from '../../run/run.ts';
import { isRunning } from '../../run/running.ts';
import type { Step } from '../../run/step.ts';
import type { MetricHost } from './bounded-metric.ts';
import { RunGauge } from './run-gauge.ts';

/** One running run and the gauge series that count it. */
interface Counted {
  run: Run;
  seats: readonly Seat[];
}

interface Seat {
  readonly metric: MetricName;
  readonly series: Series;
}

interface RunningRunsOptions {
  readonly host: MetricHost;
  readonly profile: Profile;
  readonly settings: MetricsSettings;
  /** Runs that may run at once before further ones are not counted: 500,000 by default, about 100 MB. */
  readonly maxRuns?: number;
}

const gaugeRows: readonly CatalogueRow[] = catalogue.filter(({ type }) => type === 'gauge');

/**
 * The gauges of what runs now, fed by every observed version of a run.
 *
 * Remembers running runs only, each with the series that count it: a step costs the same however many there are, and
 * a change of level walks just these.
 */
export class RunningRuns {
  readonly #options: RunningRunsOptions;
  readonly #runs = new Map<string, Counted>();
  readonly #gauges = new Map<string, RunGauge>();
  readonly #visible = new Set<Kind>();
  /** The seats of runs that one series alone counts: most of them, and each such run holds the same array. */
  readonly #alone = new WeakMap<Series, readonly Seat[]>();
  #settings: MetricsSettings;

  constructor(options: RunningRunsOptions) {
    this.#options = options;
    this.#settings = options.settings;
    for (const row of gaugeRows) this.#replace(row);
  }

  /** Follows one run from version to version; a deletion counts it out. */
  record({ before, after }: Pick<Step, 'before' | 'after'>): void {
    const uid = (after ?? before)?.uid ?? '';
    const counted = this.#runs.get(uid);
    const { profile } = this.#options;
    const running = after?.kind !== 'CustomRun' && isRunning(after, profile.behaviour) ? after : undefined;
    if (counted !== undefined && running !== undefined && sameGauges(counted.run, running, profile)) {
      // The older version would stay in memory otherwise.
      counted.run = running;
      return;
    }
    if (counted !== undefined) this.#leave(counted);
    if (running !== undefined) this.#enter(running);
  }

  /** Takes up new settings: gauges whose labels change are replaced, and count the same runs under the new ones. */
  apply(settings: MetricsSettings): void {
    const { profile } = this.#options;
    const old = this.#settings;
    this.#settings = settings;
    const changed = gaugeRows.filter((row) => !sameShape(shapeOf(row, old, profile), shapeOf(row, settings, profile)));
    for (const row of changed) this.#replace(row);
    const names = new Set<string>(changed.map(({ name }) => name));
    if (names.size > 0) for (const counted of this.#runs.values()) this.#reseat(counted, names);
  }

  /** Shows or hides the gauges of a kind; they count either way. */
  show(kind: Kind, visible: boolean): void {
    if (visible) this.#visible.add(kind);
    else this.#visible.delete(kind);
    for (const row of gaugeRows) if (row.kind === kind) this.#gauges.get(row.name)?.show(visible);
  }

  /** Forgets every run of a kind, as though none had ever run. */
  forgetAll(kind: Kind): void {
    for (const [uid, { run }] of this.#runs) if (run.kind === kind) this.#runs.delete(uid);
    for (const row of gaugeRows) if (row.kind === kind) this.#replace(row);
  }

  #enter(run: Run): void {
    if (this.#runs.size >= (this.#options.maxRuns ?? 500_000)) {
      this.#options.host.measure.count('running_runs_uncounted_total');
      return;
    }
    this.#runs.set(run.uid, { run, seats: this.#seatsOf(run, () => true) });
  }

  #leave({ run, seats }: Counted): void {
    this.#runs.delete(run.uid);
    for (const { metric, series } of seats) this.#gauges.get(metric)?.leave(series);
  }

  #reseat(counted: Counted, replaced: ReadonlySet<string>): void {
    const kept = counted.seats.filter(({ metric }) => !replaced.has(metric));
    counted.seats = [...kept, ...this.#seatsOf(counted.run, (metric) => replaced.has(metric))];
  }

  #seatsOf(run: Run, wanted: (metric: MetricName) => boolean): readonly Seat[] {
    const seats: Seat[] = [];
    for (const { metric, labels } of gaugesOf(run, this.#settings, this.#options.profile)) {
      const series = wanted(metric) ? this.#gauges.get(metric)?.enter(labels) : undefined;
      if (series !== undefined) seats.push({ metric, series });
    }
    const [first] = seats;
    if (first === undefined || seats.length > 1) return seats;
    const shared = this.#alone.get(first.series);
    if (shared !== undefined) return shared;
    this.#alone.set(first.series, seats);
    return seats;
  }

  #replace(row: CatalogueRow): void {
    const { host, profile } = this.#options;
    const name = profile.metricPrefix + row.name;
    const throttle = row.name.includes('throttled');
    host.registry.removeSingleMetric(name);
    const gauge = new RunGauge({
      host,
      name,
      help: row.help,
      labelNames: shapeOf(row, this.#settings, profile).labelNames,
      atZero: throttle ? profile.behaviour.throttleAtZero : 'gone',
    });
    gauge.show(row.kind !== undefined && this.#visible.has(row.kind));
    this.#gauges.set(row.name, gauge);
  }
}
