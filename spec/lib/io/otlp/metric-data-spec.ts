import { ValueType } from '@opentelemetry/api';
import { AggregationTemporality, DataPointType } from '@opentelemetry/sdk-metrics';
import { expect } from 'chai';
import {
  gaugeData,
  histogramData,
  histogramPoint,
  type Reading,
  sumData,
} from '../../../../lib/io/otlp/metric-data.ts';

const reading = (name: string): Reading => ({ name, help: 'Helps.', startTime: [1, 0], endTime: [61, 5] });
const times = { startTime: [1, 0], endTime: [61, 5] };
const cumulative = AggregationTemporality.CUMULATIVE;

function descriptor(name: string, unit: string) {
  return { name, description: 'Helps.', unit, valueType: ValueType.DOUBLE };
}

describe('metric data', () => {
  it('writes a counter as a monotonic sum', () => {
    const data = sumData(reading('x_taskrun_total'), [{ labels: { status: 'success' }, value: 3 }]);
    expect(data).to.deep.equal({
      descriptor: descriptor('x_taskrun_total', '1'),
      aggregationTemporality: cumulative,
      dataPointType: DataPointType.SUM,
      isMonotonic: true,
      dataPoints: [{ ...times, attributes: { status: 'success' }, value: 3 }],
    });
  });

  it('writes a gauge, numbers in labels as text, labels without a value not at all', () => {
    const data = gaugeData(reading('x_lag_seconds'), [{ labels: { shard: 2, task: undefined }, value: -0.5 }]);
    expect(data).to.deep.equal({
      descriptor: descriptor('x_lag_seconds', 's'),
      aggregationTemporality: cumulative,
      dataPointType: DataPointType.GAUGE,
      dataPoints: [{ ...times, attributes: { shard: '2' }, value: -0.5 }],
    });
  });

  it('writes a histogram with one more bucket for what lies above the last bound', () => {
    const series = { labels: { task: 'build' }, bucketValues: { 10: 2, 60: 1 }, sum: 135, count: 5 };
    const point = histogramPoint(reading('x_duration_seconds'), [10, 60], series);
    const buckets = { boundaries: [10, 60], counts: [2, 1, 2] };
    const want = { ...times, attributes: { task: 'build' }, value: { buckets, sum: 135, count: 5 } };
    expect(point).to.deep.equal(want);
    expect(histogramData(reading('x_duration_seconds'), [point])).to.deep.equal({
      descriptor: descriptor('x_duration_seconds', 's'),
      aggregationTemporality: cumulative,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: [want],
    });
  });

  it('counts nothing in a bucket that a label set does not have', () => {
    const series = { labels: {}, bucketValues: { 60: 1 }, sum: 40, count: 1 };
    const { value } = histogramPoint(reading('x_duration_seconds'), [10, 60], series);
    expect(value.buckets.counts).to.deep.equal([0, 1, 0]);
  });
});
