import { setImmediate as turn } from 'node:timers/promises';
import { millisToHrTime } from '@opentelemetry/core';
import { emptyResource } from '@opentelemetry/resources';
import type {
  DataPoint,
  ExponentialHistogram,
  Histogram,
  MetricData,
  MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { Metric, Registry } from 'prom-client';
import type { HistogramSeries, Line } from '../../metrics/exposition.ts';
import { WalkableHistogram } from '../metrics/walkable-histogram.ts';
import { fromLines } from './histogram-lines.ts';
import {
  exponentialData,
  exponentialPoint,
  gaugeData,
  histogramData,
  histogramPoint,
  type Reading,
  sumData,
} from './metric-data.ts';
import type { StartTimes } from './start-times.ts';

export interface ProducerOptions {
  readonly registry: Registry;
  /** The instrumentation scope: who counted. */
  readonly scope: { readonly name: string; readonly version: string };
  readonly startTimes: StartTimes;
  /** Ms since the epoch. */
  readonly now: () => number;
  /** Called before each reading. */
  readonly onCollect?: () => void;
}

/** Label sets converted before the event loop gets a turn: some 2 ms. */
const pointsAtOnce = 1000;

/** The same for exponential points, each up to 160 counts. */
const exponentialAtOnce = 250;

/**
 * Reads a prom-client registry for OpenTelemetry: the same names, labels and numbers as a scrape, cumulative.
 *
 * A histogram that counts exponentially is one, begun when that was switched on. The event loop turns between metrics
 * and within large ones. A summary has no counterpart and is left out.
 */
export function createRegistryProducer(options: ProducerOptions): MetricProducer {
  const { registry, scope, startTimes, now, onCollect = () => {} } = options;
  return {
    async collect() {
      onCollect();
      const nowMs = now();
      const metrics: MetricData[] = [];
      for (const { name } of registry.getMetricsAsArray()) {
        const metric: Metric | undefined = registry.getSingleMetric(name);
        if (metric === undefined) continue;
        const startTime = millisToHrTime(startTimes.of(metric));
        metrics.push(...(await read(metric, { startTime, endTime: millisToHrTime(nowMs) })));
        await turn();
      }
      startTimes.readAt(nowMs);
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics: [{ scope, metrics }] }, errors: [] };
    },
  };
}

type Times = Pick<Reading, 'startTime' | 'endTime'>;

async function read(metric: Metric, times: Times): Promise<MetricData[]> {
  if (metric instanceof WalkableHistogram) {
    const { name, help, upperBounds, exponentialSinceMs } = metric;
    if (exponentialSinceMs !== undefined) {
      const startTime = millisToHrTime(exponentialSinceMs);
      return [await readExponential({ ...times, startTime, name, help }, metric)];
    }
    return [await readHistogram({ ...times, name, help }, upperBounds, metric.series())];
  }
  const { name, help, type, values } = await metric.get();
  const reading = { ...times, name, help };
  const lines: Line[] = values.map((value) => ({
    name: 'metricName' in value ? String(value.metricName) : undefined,
    labels: value.labels,
    value: value.value,
  }));
  // The typings call it a number; it is the word.
  switch (String(type)) {
    case 'counter':
      return [sumData(reading, lines)];
    case 'gauge':
      return [gaugeData(reading, lines)];
    case 'histogram': {
      const { boundaries, series } = fromLines(lines);
      return [await readHistogram(reading, boundaries, series)];
    }
    default:
      return [];
  }
}

async function readHistogram(
  reading: Reading,
  boundaries: readonly number[],
  series: readonly HistogramSeries[],
): Promise<MetricData> {
  const points: DataPoint<Histogram>[] = [];
  for (const one of series) {
    points.push(histogramPoint(reading, boundaries, one));
    if (points.length % pointsAtOnce === 0) await turn();
  }
  return histogramData(reading, points);
}

/** Label sets that nothing was observed in since the exponential counting began are not there. */
async function readExponential(reading: Reading, metric: WalkableHistogram): Promise<MetricData> {
  const points: DataPoint<ExponentialHistogram>[] = [];
  for (const series of metric.series()) {
    const read = metric.exponentialOf(series);
    if (read === undefined) continue;
    points.push(exponentialPoint(reading, series.labels, read));
    if (points.length % exponentialAtOnce === 0) await turn();
  }
  return exponentialData(reading, points);
}
