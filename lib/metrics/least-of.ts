import type { Measure } from './own.ts';

type Gauge = Parameters<Measure['set']>[0];

/**
 * Measures for parts that set the same gauges, one a call: of what they set, the least is shown.
 *
 * A part that has not set a gauge counts as 0: watches of two namespaces are synced when both are. All parts are to be
 * made before the first of them sets anything, and to give a gauge the same labels; counters simply add up.
 */
export function leastOf(measure: Measure): () => Measure {
  const parts: ReadonlyMap<Gauge, number>[] = [];
  return () => {
    const own = new Map<Gauge, number>();
    parts.push(own);
    return {
      count: measure.count,
      observe: measure.observe,
      set: (name, value, labels) => {
        own.set(name, value);
        measure.set(name, Math.min(...parts.map((part) => part.get(name) ?? 0)), labels);
      },
    };
  };
}
