import { DataPointType, type MetricData } from '@opentelemetry/sdk-metrics';
import { expect } from 'chai';
import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client';
import { WalkableHistogram } from '../../../../lib/io/metrics/walkable-histogram.ts';
import { createRegistryProducer, type ProducerOptions } from '../../../../lib/io/otlp/registry-producer.ts';
import { createStartTimes } from '../../../../lib/io/otlp/start-times.ts';

const scope = { name: 'x', version: '1' };

function producerOf(registry: Registry, more: Partial<ProducerOptions> = {}) {
  return createRegistryProducer({ registry, scope, startTimes: createStartTimes(1000), now: () => 61_000, ...more });
}

async function collected(registry: Registry, more: Partial<ProducerOptions> = {}): Promise<MetricData[]> {
  const { resourceMetrics, errors } = await producerOf(registry, more).collect();
  expect(errors).to.deep.equal([]);
  expect(resourceMetrics.scopeMetrics.map((one) => one.scope)).to.deep.equal([scope]);
  return resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
}

const values = ({ dataPoints }: MetricData) => dataPoints.map(({ attributes, value }) => ({ attributes, value }));
const namesOf = (metrics: readonly MetricData[]) => metrics.map(({ descriptor }) => descriptor.name);

describe('createRegistryProducer', () => {
  let registers: Registry[];
  let registry: Registry;
  beforeEach(() => {
    registry = new Registry();
    registers = [registry];
  });

  it('reads counters and gauges with the numbers of a scrape', async () => {
    const runs = new Counter({ name: 'x_runs_total', help: 'Runs.', labelNames: ['status'], registers });
    runs.inc({ status: 'failed' }, 2);
    new Gauge({ name: 'x_running', help: 'Running.', registers }).set(7);
    const metrics = await collected(registry);
    expect(metrics.map(({ dataPointType }) => dataPointType)).to.deep.equal([DataPointType.SUM, DataPointType.GAUGE]);
    expect(metrics.map(values)).to.deep.equal([
      [{ attributes: { status: 'failed' }, value: 2 }],
      [{ attributes: {}, value: 7 }],
    ]);
    expect(
      metrics.flatMap(({ dataPoints }) => dataPoints.map(({ startTime, endTime }) => [startTime, endTime])),
    ).to.eql([
      [
        [1, 0],
        [61, 0],
      ],
      [
        [1, 0],
        [61, 0],
      ],
    ]);
  });

  it('reads both kinds of histograms alike', async () => {
    const given = { help: 'Seconds.', labelNames: ['task'], buckets: [10, 60], registers };
    for (const one of [new Histogram({ name: 'x_a', ...given }), new WalkableHistogram({ name: 'x_b', ...given })]) {
      for (const seconds of [5, 10, 59, 61]) one.observe({ task: 'build' }, seconds);
    }
    const buckets = { boundaries: [10, 60], counts: [2, 1, 1] };
    const want = [{ attributes: { task: 'build' }, value: { buckets, sum: 135, count: 4 } }];
    expect((await collected(registry)).map(values)).to.deep.equal([want, want]);
  });

  it('leaves a summary out', async () => {
    new Summary({ name: 'x_summary', help: 'Summary.', registers }).observe(1);
    new Gauge({ name: 'x_running', help: 'Running.', registers });
    expect(namesOf(await collected(registry))).to.deep.equal(['x_running']);
  });

  it('leaves out a metric that goes away while others are read', async () => {
    const collect = () => registry.removeSingleMetric('x_gone');
    new Gauge({ name: 'x_first', help: 'First.', registers, collect });
    new Gauge({ name: 'x_gone', help: 'Gone.', registers });
    new Gauge({ name: 'x_last', help: 'Last.', registers });
    expect(namesOf(await collected(registry))).to.deep.equal(['x_first', 'x_last']);
  });

  it('calls back before each reading, and begins a later metric at the reading before', async () => {
    const gauge = new Gauge({ name: 'x_running', help: 'Running.', registers });
    let nowMs = 61_000;
    const producer = producerOf(registry, { onCollect: () => gauge.inc(), now: () => nowMs });
    await producer.collect();
    nowMs = 121_000;
    new Counter({ name: 'x_later_total', help: 'Later.', registers });
    const { resourceMetrics } = await producer.collect();
    const metrics = resourceMetrics.scopeMetrics.flatMap((one) => one.metrics);
    const points = metrics.flatMap(({ dataPoints }) => dataPoints.map(({ startTime, value }) => [startTime[0], value]));
    expect(points).to.deep.equal([
      [1, 2],
      [61, 0],
    ]);
  });

  it('lets the event loop turn within a large histogram, and reads all of it', async () => {
    const given = { name: 'x_large', help: 'Large.', labelNames: ['task'], buckets: [10], registers };
    const large = new WalkableHistogram(given);
    for (let index = 0; index < 2500; index += 1) large.observe({ task: `t${index}` }, 1);
    let turns = 0;
    let reading = true;
    const count = () => {
      turns += 1;
      if (reading) setImmediate(count);
    };
    setImmediate(count);
    const [metric] = await collected(registry);
    reading = false;
    expect(metric?.dataPoints.length).to.equal(2500);
    expect(turns).to.be.at.least(3);
  });
});
