import { Histogram } from 'prom-client';
import type { HistogramSeries } from '../../metrics/exposition.ts';

/**
 * A histogram whose label sets can be read one at a time.
 *
 * `get()` makes an object a bucket for all of them at once: 40 to 80 ms without a pause at 100,000 lines.
 */
export class WalkableHistogram extends Histogram {
  // Not in prom-client's typings: the spec compares what is read here with what `get()` says.
  declare readonly name: string;
  declare readonly help: string;
  declare readonly hashMap: Readonly<Record<string, HistogramSeries>>;
  declare readonly upperBounds: readonly number[];
  declare readonly collect: (() => void) | undefined;

  /** The label sets as they are, not copies: each is read without a pause, so its buckets and count agree. */
  series(): readonly HistogramSeries[] {
    this.collect?.();
    return Object.values(this.hashMap);
  }
}
