import type { Registry } from 'prom-client';
import { type Measure, type OwnMetric, ownMetrics } from '../../metrics/own.ts';
import { createInstrument, type Instrument } from './instrument.ts';

/** The controller's own metrics, registered under the prefix, each there at 0 from the start. */
export function createMeasure(registry: Registry, prefix: string): Measure {
  const instruments = new Map(ownMetrics.map((own) => [own.name, createOwn(registry, prefix, own)]));
  const write = (name: (typeof ownMetrics)[number]['name'], labels: Readonly<Record<string, string>>, value: number) =>
    instruments.get(name)?.write(labels, value);
  return {
    count: (name, labels = {}, by = 1) => write(name, labels, by),
    set: (name, value, labels = {}) => write(name, labels, value),
    observe: (name, value, labels = {}) => write(name, labels, value),
  };
}

function createOwn(registry: Registry, prefix: string, { name, help, type, ...own }: OwnMetric): Instrument {
  const options = { registry, name: prefix + name, help, type, labelNames: own.labels, buckets: own.buckets };
  const instrument = createInstrument(options);
  for (const labels of own.initial ?? []) instrument.touch(labels);
  return instrument;
}
