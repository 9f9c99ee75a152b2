import { Counter, Gauge, type Metric, type Registry } from 'prom-client';
import type { Exemplar } from '../../metrics/exemplar.ts';
import type { Labels } from '../../metrics/labels.ts';
import { WalkableHistogram } from './walkable-histogram.ts';

/** What a metric is made from. */
export interface InstrumentOptions {
  readonly registry: Registry;
  /** With its prefix. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labelNames: readonly string[];
  readonly buckets?: readonly number[] | undefined;
  /** Called whenever the metric is about to be read. */
  readonly collect?: (() => void) | undefined;
}

/** A metric of any type, as far as whoever writes it must know. */
export interface Instrument {
  readonly metric: Metric;
  /** Adds to a counter, sets a gauge, observes in a histogram, which alone keeps an exemplar. */
  write(labels: Labels, value: number, exemplar?: Exemplar): void;
  /** Forgets one label set. */
  remove(labels: Labels): void;
  /** Makes a label set readable before anything is written to it, at 0. */
  touch(labels: Labels): void;
}

/** A registered instrument over prom-client's class for its type. */
export function createInstrument(options: InstrumentOptions): Instrument {
  return creators[options.type](options);
}

const creators: Readonly<Record<InstrumentOptions['type'], (options: InstrumentOptions) => Instrument>> = {
  counter(options) {
    const metric = new Counter(common(options));
    const write = (labels: Labels, value: number) => metric.inc(labels, value);
    return { metric, write, remove: (labels) => metric.remove(labels), touch: (labels) => metric.inc(labels, 0) };
  },
  gauge(options) {
    const metric = new Gauge(common(options));
    const write = (labels: Labels, value: number) => metric.set(labels, value);
    return { metric, write, remove: (labels) => metric.remove(labels), touch: (labels) => metric.inc(labels, 0) };
  },
  histogram(options) {
    const metric = new WalkableHistogram({ ...common(options), buckets: [...(options.buckets ?? [])] });
    const write: Instrument['write'] = (labels, value, exemplar) => metric.take(labels, value, exemplar);
    return { metric, write, remove: (labels) => metric.remove(labels), touch: (labels) => metric.zero(labels) };
  },
};

function common({ name, help, labelNames, registry, collect }: InstrumentOptions) {
  return { name, help, labelNames: [...labelNames], registers: [registry], ...(collect && { collect }) };
}
