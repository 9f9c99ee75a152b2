import { DataPointType, type MetricData } from '@opentelemetry/sdk-metrics';
import { expect } from 'chai';
import { createMetricsExporter } from '../../../../lib/io/otlp/metrics-exporter.ts';
import { createRegistryProducer } from '../../../../lib/io/otlp/registry-producer.ts';
import { createStartTimes } from '../../../../lib/io/otlp/start-times.ts';
import type { MetricsSettings } from '../../../../lib/metrics/settings.ts';
import { startGrpcReceiver, startHttpReceiver } from '../../../support/otlp-receiver.ts';
import { finish, pipelineRun, taskRun } from '../../metrics/steps.ts';
import { createHarness } from '../metrics/harness.ts';

const exponential = { histogramAggregation: 'base2_exponential_bucket_histogram' } as const;
const scope = { name: 'x', version: '1' };
const processStartMs = 1_000;

/** Metrics whose wall clock a spec moves, read as an exporter reads them. */
function createStage(settings: Partial<MetricsSettings> = exponential) {
  const clock = { wallMs: 50_000 };
  const harness = createHarness({}, { wallMs: () => clock.wallMs });
  harness.apply(settings);
  const { metrics } = harness;
  const { registry } = metrics;
  const producer = createRegistryProducer({
    registry,
    scope,
    startTimes: createStartTimes(processStartMs),
    now: () => clock.wallMs,
  });
  const read = async (name = 'taskrun_duration_seconds'): Promise<MetricData | undefined> => {
    const { resourceMetrics } = await producer.collect();
    const all = resourceMetrics.scopeMetrics.flatMap((one) => one.metrics);
    return all.find(({ descriptor }) => descriptor.name === `svc_pipelines_controller_${name}`);
  };
  const take = (...seconds: readonly number[]) => {
    for (const durationSeconds of seconds) metrics.record(finish(taskRun(), { durationSeconds }));
  };
  return { ...harness, clock, registry, read, take };
}

describe('exponential histograms', () => {
  it('are what exporters read when asked for, beside the buckets of the scrape', async () => {
    const { read, take, scrape } = createStage();
    take(8, 16, 16, 0);
    const data = await read();
    expect(data?.dataPointType).to.equal(DataPointType.EXPONENTIAL_HISTOGRAM);
    expect(data?.dataPoints).to.deep.equal([
      {
        attributes: { task: 'build', status: 'success', namespace: 'shop' },
        startTime: [50, 0],
        endTime: [50, 0],
        value: {
          ...{ count: 4, sum: 40, min: 0, max: 16, zeroCount: 1, scale: 7 },
          positive: { offset: 383, bucketCounts: [1, ...new Array(127).fill(0), 2] },
          negative: { offset: 0, bucketCounts: [] },
        },
      },
    ]);
    expect((await scrape('taskrun_duration_seconds_bucket')).slice(0, 2)).to.deep.equal([
      'taskrun_duration_seconds_bucket{task="build",status="success",namespace="shop",le="10"} 2',
      'taskrun_duration_seconds_bucket{task="build",status="success",namespace="shop",le="30"} 4',
    ]);
  });

  it('begin when they are switched on, and label sets with what is observed from then on', async () => {
    const { apply, clock, metrics, read, take } = createStage({});
    take(42, 42);
    metrics.record(finish(taskRun({ task: 'quiet' })));
    clock.wallMs = 70_000;
    apply(exponential);
    expect((await read())?.dataPoints).to.deep.equal([]);
    take(42);
    clock.wallMs = 80_000;
    const points = (await read())?.dataPoints ?? [];
    expect(points.map(({ startTime, endTime }) => ({ startTime, endTime }))).to.deep.equal([
      { startTime: [70, 0], endTime: [80, 0] },
    ]);
    expect(points[0]?.value).to.deep.include({ count: 1, sum: 42 });
  });

  it('are forgotten when they are switched off, and the explicit ones have missed nothing', async () => {
    const { apply, clock, read, take } = createStage();
    take(42);
    apply({});
    const explicit = await read();
    expect(explicit?.dataPointType).to.equal(DataPointType.HISTOGRAM);
    expect(explicit?.dataPoints[0]).to.deep.include({ startTime: [1, 0] });
    expect(explicit?.dataPoints[0]?.value).to.deep.include({ count: 1, sum: 42 });
    clock.wallMs = 90_000;
    apply(exponential);
    expect((await read())?.dataPoints).to.deep.equal([]);
  });

  it('go on through an edit of something else, and begin again where a level replaces the metric', async () => {
    const { apply, clock, read, take } = createStage();
    take(42);
    clock.wallMs = 60_000;
    apply({ ...exponential, seriesLimit: 500 });
    expect((await read())?.dataPoints[0]).to.deep.include({ startTime: [50, 0] });
    apply({ ...exponential, taskrunLevel: 'namespace' });
    take(42);
    const [point] = (await read())?.dataPoints ?? [];
    expect(point).to.deep.include({ startTime: [60, 0], attributes: { status: 'success', namespace: 'shop' } });
  });

  it('are there for a histogram without labels', async () => {
    const { metrics, read } = createStage();
    metrics.observeClientLatency(3);
    metrics.observeClientLatency(5);
    expect((await read('client_latency'))?.dataPoints[0]?.value).to.deep.include({ count: 2, sum: 8 });
  });

  for (const [protocol, start] of [
    ['grpc', startGrpcReceiver],
    ['http/protobuf', startHttpReceiver],
  ] as const) {
    it(`arrive over ${protocol} with their scale, their buckets and their sum`, async () => {
      const { metrics, registry, take } = createStage();
      take(0.25, 42, 0);
      metrics.record(finish(pipelineRun(), { durationSeconds: 86_400 }));
      const receiver = await start();
      const exporter = createMetricsExporter({
        ...{ protocol, endpoint: receiver.endpoint, bareEndpoint: 'plaintext', env: {}, registry, scope },
        ...{ intervalMs: 3_600_000, resource: {}, startTimes: createStartTimes(processStartMs), onExport: () => {} },
      });
      await exporter.flush();
      const items = (await receiver.next()).metrics.flatMap((batch) => batch.items);
      const durations = items.filter(({ name, type }) => /duration_seconds$/.test(name) && type === 'exponential');
      expect(durations.map(({ temporality, unit }) => ({ temporality, unit }))).to.deep.equal([
        { temporality: 2, unit: 's' },
        { temporality: 2, unit: 's' },
      ]);
      const [first] = durations.find(({ name }) => /controller_taskrun/.test(name))?.points ?? [];
      // 0.25 ends bucket -3 * 2^4 - 1 at scale 4; log2(42) * 2^4 is 86.27.
      expect(first).to.deep.include({ count: 3, sum: 42.25, min: 0, max: 42, zeroCount: 1, scale: 4, offset: -33 });
      expect(first?.counts).to.deep.equal([1, ...new Array(118).fill(0), 1]);
      await exporter.shutdown();
      await receiver.close();
    });
  }
});
