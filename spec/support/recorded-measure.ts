import type { Measure } from '../../lib/metrics/own.ts';

/** A Measure that keeps what it was told: `name{label="value"}` to the sum, the value or the observations. */
export interface RecordedMeasure extends Measure {
  readonly counts: Map<string, number>;
  readonly gauges: Map<string, number>;
  readonly observed: Map<string, number[]>;
}

export function recordedMeasure(): RecordedMeasure {
  const counts = new Map<string, number>();
  const gauges = new Map<string, number>();
  const observed = new Map<string, number[]>();
  return {
    counts,
    gauges,
    observed,
    count: (name, labels, by = 1) =>
      void counts.set(series(name, labels), (counts.get(series(name, labels)) ?? 0) + by),
    set: (name, value, labels) => void gauges.set(series(name, labels), value),
    observe: (name, value, labels) => {
      const key = series(name, labels);
      observed.set(key, [...(observed.get(key) ?? []), value]);
    },
  };
}

function series(name: string, labels: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return pairs.length === 0 ? name : `${name}{${pairs.join(',')}}`;
}
