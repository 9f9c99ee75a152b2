import { expect } from 'chai';
import { Gauge, Histogram, Registry } from 'prom-client';
import { createInstrument } from '../../../../lib/io/metrics/instrument.ts';
import { renderRegistry } from '../../../../lib/io/metrics/render-registry.ts';
import { addRuntimeMetrics } from '../../../../lib/io/metrics/runtime-metrics.ts';
import { finish, pipelineRun, pipelineTaskRun, step, taskRun } from '../../metrics/steps.ts';
import { createHarness, joined } from './harness.ts';
import { problemsOf } from './open-metrics.ts';

describe('renderRegistry', () => {
  it('writes families by name, with escaped values, in text', async () => {
    const registry = new Registry();
    const registers = [registry];
    new Gauge({ name: 'z', help: 'Last.', labelNames: ['a'], registers }).set({ a: 'x"\n\\' }, Number.NaN);
    new Gauge({ name: 'b', help: 'First.', registers }).set(Number.POSITIVE_INFINITY);
    expect(await joined(renderRegistry(registry, 'text'))).to.equal(
      [
        '# HELP b First.',
        '# TYPE b gauge',
        'b +Inf',
        '# HELP z Last.',
        '# TYPE z gauge',
        'z{a="x\\"\\n\\\\"} NaN',
        '',
      ].join('\n'),
    );
  });

  it('writes a histogram of its own and one of prom-client alike', async () => {
    const options = { name: 'm', help: 'M.', labelNames: ['a'], buckets: [1, 5] };
    const [ours, theirs] = [new Registry(), new Registry()];
    const own = createInstrument({ registry: ours, type: 'histogram', ...options });
    const other = new Histogram({ ...options, registers: [theirs] });
    for (const value of [0.5, 3, 9]) {
      own.write({ a: 'x' }, value);
      other.observe({ a: 'x' }, value);
    }
    const page = await joined(renderRegistry(ours, 'text'));
    expect(page).to.include('m_bucket{a="x",le="5"} 2\n');
    const lines = async (text: string) => text.replaceAll(/\{(le="[^"]*"),(a="x")\}/g, '{$2,$1}').split('\n');
    expect(await lines(page)).to.deep.equal(await lines(await joined(renderRegistry(theirs, 'text'))));
  });

  it('reads of a histogram what exporters read of it', async () => {
    const { metrics } = createHarness();
    metrics.record(finish(taskRun()));
    const name = 'svc_pipelines_controller_taskrun_duration_seconds';
    const read = await metrics.registry.getSingleMetric(name)?.get();
    expect(read?.values.at(-1)).to.deep.include({ value: 1, metricName: `${name}_count` });
    expect(read?.values).to.have.length(15);
  });

  it('writes every metric as OpenMetrics allows', async () => {
    const { metrics, page } = createHarness({ taskrunLevel: 'taskrun' }, { runtimeMetrics: true });
    for (const run of [taskRun(), pipelineTaskRun({ uid: 'u2' }), pipelineRun()]) {
      metrics.record(step(undefined, run));
      metrics.record(finish(run, { reason: 'a "quoted\\ \n reason' }));
    }
    const text = await page('openmetrics');
    expect(problemsOf(text)).to.deep.equal([]);
    expect(text).to.include('# TYPE svc_pipelines_controller_taskrun counter\n');
    expect(text).to.include('svc_pipelines_controller_taskrun_total{');
    expect(text).to.include('svc_pipelines_controller_client_latency_bucket{le="10.0"} 0\n');
  });

  it('never renames what is registered', async () => {
    const { page } = createHarness();
    const before = await page('text');
    await page('openmetrics');
    expect(await page('text')).to.equal(before);
    expect(before).to.include('# TYPE svc_pipelines_controller_taskrun_total counter\n');
  });

  it('lets the event loop turn between chunks', async () => {
    const { metrics } = createHarness();
    for (let task = 0; task < 300; task += 1) metrics.record(finish(taskRun({ task: `task-${task}` })));
    let turns = 0;
    let turning = true;
    const count = () => {
      turns += 1;
      if (turning) setImmediate(count);
    };
    setImmediate(count);
    let chunks = 0;
    for await (const chunk of metrics.render('text')) {
      chunks += 1;
      expect(chunk.length).to.be.lessThan(70_000);
    }
    turning = false;
    expect(chunks).to.be.greaterThan(4);
    expect(turns).to.be.at.least(chunks - 1);
  });
});

describe('addRuntimeMetrics', () => {
  it('adds process and Node metrics, none of them a gauge that ends like a counter', async () => {
    const registry = new Registry();
    addRuntimeMetrics(registry, { intervalMs: () => 0, now: () => 0 });
    const page = await joined(renderRegistry(registry, 'text'));
    expect(page).to.include('# TYPE process_cpu_seconds_total counter\n');
    expect(page).to.include('# TYPE nodejs_heap_size_used_bytes gauge\n');
    expect(page.match(/^# TYPE \S+_total gauge$/gm)).to.equal(null);
  });
});
