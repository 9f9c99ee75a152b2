import type { Labels } from './labels.ts';

/** What a label value past the limit becomes. */
const overflowValue = '_overflow';

/** One label set of one metric. */
export interface Series {
  readonly key: string;
  readonly labels: Labels;
  /** Carries an `_overflow`. */
  readonly folded: boolean;
}

/** A series for a label set, and whether the limit made it another one. */
interface Placed {
  readonly series: Series;
  readonly overflowed: boolean;
}

/** Folded series that a metric may have beside its limit, so that known values stay readable. */
const foldedRoom = (limit: number) => Math.max(10, Math.ceil(limit / 10));

/**
 * The label sets that one metric has, and the end of its growth.
 *
 * Up to `limit` a new set is taken as it is. Past it, values that its label has not had become `_overflow`, all but
 * `status`; when that set is new too and there is no room for it (a tenth of the limit, at least 10), every label but
 * `status` does. So a metric has at most 1.1 times the limit of series, and one more a status.
 */
export class SeriesTable {
  readonly #labelNames: readonly string[];
  readonly #series = new Map<string, Series>();
  /** How many series have a value, by label. */
  readonly #uses = new Map<string, Map<string, number>>();
  #folded = 0;

  constructor(labelNames: readonly string[]) {
    this.#labelNames = labelNames;
    for (const name of labelNames) this.#uses.set(name, new Map());
  }

  get size(): number {
    return this.#series.size;
  }

  /** Whether a label set that is not here yet would be taken as it is. */
  hasRoom(limit: number): boolean {
    return this.#series.size - this.#folded < limit;
  }

  /** The series of exactly these labels; undefined where there is none. */
  find(labels: Labels): Series | undefined {
    return this.#series.get(this.#keyOf(labels));
  }

  /** The series that a sample with these labels belongs to, made when it is new. */
  place(labels: Labels, limit: number): Placed {
    const known = this.find(labels);
    if (known !== undefined) return { series: known, overflowed: false };
    if (this.hasRoom(limit)) return { series: this.#add(labels, false), overflowed: false };
    return { series: this.#fold(labels, limit), overflowed: true };
  }

  /** Forgets a series; its labels are new from now on. */
  drop(series: Series): void {
    if (this.#series.get(series.key) !== series) return;
    this.#series.delete(series.key);
    if (series.folded) this.#folded -= 1;
    this.#countValues(series.labels, -1);
  }

  #fold(labels: Labels, limit: number): Series {
    const known = this.#replaced(labels, (name, value) => this.#uses.get(name)?.has(value) === true);
    const found = this.find(known);
    if (found !== undefined) return found;
    // All values known and the set still new: then only a wholly folded one keeps the bound.
    const folds = Object.values(known).includes(overflowValue);
    if (folds && this.#folded < foldedRoom(limit)) return this.#add(known, true);
    const whole = this.#replaced(labels, () => false);
    return this.find(whole) ?? this.#add(whole, true);
  }

  #replaced(labels: Labels, keep: (name: string, value: string) => boolean): Labels {
    const kept = (name: string, value: string) => name === 'status' || keep(name, value);
    return Object.fromEntries(
      Object.entries(labels).map(([name, value]) => [name, kept(name, value) ? value : overflowValue]),
    );
  }

  #add(labels: Labels, folded: boolean): Series {
    const series = { key: this.#keyOf(labels), labels, folded };
    this.#series.set(series.key, series);
    if (folded) this.#folded += 1;
    this.#countValues(labels, 1);
    return series;
  }

  #countValues(labels: Labels, by: number): void {
    for (const [name, uses] of this.#uses) {
      const value = labels[name] ?? '';
      const count = (uses.get(value) ?? 0) + by;
      if (count > 0) uses.set(value, count);
      else uses.delete(value);
    }
  }

  #keyOf(labels: Labels): string {
    return this.#labelNames.map((name) => labels[name] ?? '').join('\0');
  }
}
