import type { HistogramSeries, Line } from '../../metrics/exposition.ts';

/** A histogram's label sets, and the bounds that all of them share. */
interface ReadHistogram {
  readonly boundaries: readonly number[];
  readonly series: readonly HistogramSeries[];
}

interface Growing {
  labels: Line['labels'];
  bucketValues: Record<string, number>;
  sum: number;
  count: number;
  /** What the bucket before had, added up. */
  below: number;
}

/**
 * Label sets put together again from the lines that prom-client makes of them (`_bucket`, `_sum`, `_count`).
 *
 * Buckets come in ascending order and added up, `+Inf` last.
 */
export function fromLines(lines: readonly Line[]): ReadHistogram {
  const boundaries = new Set<number>();
  const series = new Map<string, Growing>();
  for (const { name = '', labels, value } of lines) {
    const { le, ...own } = labels;
    const key = JSON.stringify(own);
    const one = series.get(key) ?? { labels: own, bucketValues: {}, sum: 0, count: 0, below: 0 };
    series.set(key, one);
    if (name.endsWith('_sum')) one.sum = value;
    else if (name.endsWith('_count')) one.count = value;
    else if (typeof le === 'number') {
      boundaries.add(le);
      one.bucketValues[le] = value - one.below;
      one.below = value;
    }
  }
  return { boundaries: [...boundaries], series: [...series.values()] };
}
