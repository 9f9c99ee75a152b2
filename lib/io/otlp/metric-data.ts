import { type HrTime, ValueType } from '@opentelemetry/api';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type ExponentialHistogram,
  type Histogram,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import type { ExponentialReading } from '../../metrics/exponential-histogram.ts';
import type { HistogramSeries, Line } from '../../metrics/exposition.ts';
import { unitOf } from './unit-of.ts';

/** What is the same for every point of one metric. */
export interface Reading {
  readonly name: string;
  readonly help: string;
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/** The value type is double throughout: prom-client's numbers are. */
function base({ name, help }: Reading, type: 'counter' | 'gauge' | 'histogram') {
  return {
    descriptor: { name, description: help, unit: unitOf(name, type), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
}

/** A counter as a monotonic sum. */
export function sumData(reading: Reading, lines: readonly Line[]): MetricData {
  const dataPoints = lines.map(({ labels, value }) => point(reading, labels, value));
  return { ...base(reading, 'counter'), dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
}

/** A gauge. */
export function gaugeData(reading: Reading, lines: readonly Line[]): MetricData {
  const dataPoints = lines.map(({ labels, value }) => point(reading, labels, value));
  return { ...base(reading, 'gauge'), dataPointType: DataPointType.GAUGE, dataPoints };
}

/** A histogram with the bounds and counts that it has; the points come from `histogramPoint`. */
export function histogramData(reading: Reading, dataPoints: DataPoint<Histogram>[]): MetricData {
  return { ...base(reading, 'histogram'), dataPointType: DataPointType.HISTOGRAM, dataPoints };
}

/** One label set of a histogram. OTLP counts what lies above the last bound too; buckets are not added up. */
export function histogramPoint(
  reading: Reading,
  boundaries: readonly number[],
  { labels, bucketValues, sum, count }: HistogramSeries,
): DataPoint<Histogram> {
  const counts = boundaries.map((bound) => bucketValues[bound] ?? 0);
  const above = count - counts.reduce((total, one) => total + one, 0);
  const buckets = { boundaries: [...boundaries], counts: [...counts, above] };
  return point(reading, labels, { buckets, sum, count });
}

/** A histogram whose bounds follow from its scale; the points come from `exponentialPoint`. */
export function exponentialData(reading: Reading, dataPoints: DataPoint<ExponentialHistogram>[]): MetricData {
  return { ...base(reading, 'histogram'), dataPointType: DataPointType.EXPONENTIAL_HISTOGRAM, dataPoints };
}

/** One label set of an exponential histogram. */
export function exponentialPoint(
  reading: Reading,
  labels: Line['labels'],
  { positive: { offset, bucketCounts }, ...rest }: ExponentialReading,
): DataPoint<ExponentialHistogram> {
  const positive = { offset, bucketCounts: [...bucketCounts] };
  return point(reading, labels, { ...rest, positive, negative: { offset: 0, bucketCounts: [] } });
}

function point<T>({ startTime, endTime }: Reading, labels: Line['labels'], value: T): DataPoint<T> {
  const attributes = Object.fromEntries(
    Object.entries(labels).flatMap(([name, text]) => (text === undefined ? [] : [[name, String(text)]])),
  );
  return { startTime, endTime, attributes, value };
}
