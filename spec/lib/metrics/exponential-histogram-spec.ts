import {
  AggregationTemporality,
  AggregationType,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { expect } from 'chai';
import { ExponentialHistogram, type ExponentialReading } from '../../../lib/metrics/exponential-histogram.ts';
import { seededRandom } from '../../../lib/sandbox/simulator/random.ts';

const readingOf = (values: readonly number[]): ExponentialReading => {
  const histogram = new ExponentialHistogram();
  for (const value of values) histogram.observe(value);
  return histogram.read();
};

/** What OpenTelemetry's own aggregation makes of the same values. */
async function theirs(values: readonly number[]): Promise<unknown> {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const provider = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })],
    views: [{ aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM }, instrumentName: 'x' }],
  });
  const histogram = provider.getMeter('x').createHistogram('x');
  for (const value of values) histogram.record(value);
  await provider.forceFlush();
  const [metric] = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
  await provider.shutdown();
  return metric?.dataPoints[0]?.value;
}

const random = seededRandom(5);
const spread = (count: number, decades: number) => Array.from({ length: count }, () => 10 ** (random() * decades - 3));

describe('ExponentialHistogram', () => {
  const rows: readonly { name: string; values: readonly number[] }[] = [
    { name: 'one value', values: [42] },
    { name: 'equal values', values: [42, 42, 42] },
    { name: 'a larger and a smaller one', values: [42, 5000, 0.5] },
    { name: 'zeros', values: [0, 0, 3] },
    { name: 'powers of two, which are bounds', values: [1, 2, 4, 8, 1024, 0.25] },
    { name: 'durations of a day and of a second', values: [86_400, 1, 59, 61, 3600] },
    { name: 'numbers as far apart as there are', values: [Number.MAX_VALUE, 1e-300] },
    { name: 'a thousand within one decade', values: spread(1000, 1) },
    { name: 'a thousand over nine decades', values: spread(1000, 9) },
  ];
  for (const { name, values } of rows) {
    it(`says of ${name} what OpenTelemetry's own says`, async () => {
      const { positive, ...ours } = readingOf(values);
      expect(await theirs(values)).to.deep.include({ ...ours, positive });
    });
  }

  it('never has more than 160 buckets, and loses no observation', () => {
    const { positive, count, zeroCount, scale } = readingOf(spread(5000, 30));
    expect(positive.bucketCounts.length).to.be.within(80, 160);
    expect(positive.bucketCounts.reduce((sum, one) => sum + one, 0)).to.equal(5000);
    expect({ count, zeroCount }).to.deep.equal({ count: 5000, zeroCount: 0 });
    expect(scale).to.equal(0);
  });

  it('puts every value between the bounds of its bucket', () => {
    for (const value of spread(200, 6)) {
      const histogram = new ExponentialHistogram();
      for (const one of [0.01, value, 1000]) histogram.observe(one);
      const { scale, positive } = histogram.read();
      const factor = 2 ** (2 ** -scale);
      const place = Math.ceil(Math.log2(value) * 2 ** scale) - 1;
      expect(positive.bucketCounts[place - positive.offset]).to.be.greaterThan(0);
      expect(value).to.be.within(factor ** place * (1 - 1e-9), factor ** (place + 1) * (1 + 1e-9));
    }
  });

  it('counts what is below 0 as 0', () => {
    expect(readingOf([-1])).to.deep.include({ count: 1, zeroCount: 1, sum: -1, min: -1 });
  });

  it('gives a reading that later values leave alone', () => {
    const histogram = new ExponentialHistogram();
    histogram.observe(1);
    const before = histogram.read();
    histogram.observe(1);
    expect(before.positive.bucketCounts).to.deep.equal([1]);
  });
});
