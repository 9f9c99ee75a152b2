import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { svc } from '../support/runs.ts';
import { startWorld, type World } from '../support/world.ts';
import { type Collector, startCollector } from './collector.ts';
import { printedSamples, printedTrees, scrapedSamples } from './printed-telemetry.ts';

const protocols = ['grpc', 'http/protobuf'] as const;
const map = 'config-observability';
const golden = join(import.meta.dirname, 'golden/pipelinerun-spans.txt');

/** What goes on without any write: requests of our own, pushes, the edit that ends the comparison. */
const moving =
  /_(api_requests_total|client_latency|exports_total|exporter_switches_total|config_\w+|watch_last_\w+)|resource="config-/;

describe('telemetry of the whole controller, taken by a real OpenTelemetry Collector', () => {
  let world: World;
  let collector: Collector;
  let names = 0;
  before(async () => {
    collector = await startCollector();
    world = await startWorld({ maps: { 'feature-flags': { 'send-cloudevents-for-runs': 'true' } } });
  });
  after(async () => {
    await world.close();
    await collector.close();
  });

  const settled = (samples: ReadonlyMap<string, number>) =>
    [...samples]
      .filter(([name]) => name.startsWith(svc.metricPrefix) && !moving.test(name))
      // The collector prints six decimals.
      .map(([name, value]) => `${name} ${value.toFixed(6)}`)
      .toSorted();

  for (const protocol of protocols) {
    it(`says over ${protocol} what /metrics says, value by value`, async () => {
      const target = { 'metrics-protocol': protocol, 'metrics-endpoint': collector.endpoints[protocol] };
      await world.configure(map, { ...target, 'metrics-export-interval': '200ms' });
      const name = protocol.slice(0, 4);
      await world.finish('TaskRun', `${name}-one`, { seconds: 59, more: { spec: { taskRef: { name: 'unit' } } } });
      await world.finish('TaskRun', `${name}-two`, { condition: 'False/Failed/', seconds: 4000 });
      await world.finish('PipelineRun', `${name}-three`, { condition: 'False/Cancelled/', seconds: 7 });
      const going = await world.create('TaskRun', `${name}-four`);
      await going.condition('Unknown/ExceededResourceQuota/');
      await going.told('started');
      // The writes are over; two more pushes say everything that came of them.
      for (let push = 0; push < 2; push += 1) await pushed();
      const said = collector.said();
      const after = world.controller.lines.length;
      await world.configure(map, {});
      await world.controller.logged(({ msg }) => msg.startsWith('metrics are exported'), after);
      const scraped = settled(scrapedSamples(await world.scrape()));
      expect(scraped.length).to.be.greaterThan(150);
      const printed = settled(printedSamples(said));
      expect(printed.filter((line) => !scraped.includes(line))).to.deep.equal([]);
      expect(scraped.filter((line) => !printed.includes(line))).to.deep.equal([]);
    });
  }

  for (const protocol of protocols) {
    it(`says durations as exponential histograms over ${protocol} when asked to, count, sum and bounds`, async () => {
      await world.configure(map, {
        'metrics-protocol': protocol,
        'metrics-endpoint': collector.endpoints[protocol],
        'metrics-export-interval': '200ms',
        'metrics.otlp.histogram-aggregation': 'base2_exponential_bucket_histogram',
      });
      const task = `exponential-${protocol.slice(0, 4)}`;
      const more = { spec: { taskRef: { name: task } } };
      for (const seconds of [0, 8, 16, 16])
        await world.finish('TaskRun', `${task}-${seconds}-${names++}`, { seconds, more });
      // One point and nothing of the next.
      const point = String.raw`((?:(?!DataPoints #|\nMetric #)[\s\S])*)`;
      const whole = new RegExp(
        String.raw`-> task: Str\(${task}\)${point}\nCount: 4\n${point}(?:DataPoints|\nMetric) #`,
      );
      const [, , text = ''] = whole.exec(await collector.untilSaid(whole)) ?? [];
      await world.configure(map, {});
      expect(text).to.match(/^Sum: 40\.0+\nMin: 0\.0+\nMax: 16\.0+\n/);
      // At scale 7, the finest that has room for 8 and 16, a bucket is 0.5% wide.
      expect(
        [...text.matchAll(/^Bucket (\S+ \S+), Count: ([1-9]\d*)$/gm)].map(([, bounds, count]) => `${bounds} ${count}`),
      ).to.deep.equal(['[0, 0] 1', '(7.956795, 8.000000] 1', '(15.913591, 16.000000] 2']);
    });
  }

  async function pushed(): Promise<void> {
    const from = collector.said().length;
    // The last of our own metrics stands at the end of a push.
    await collector.untilSaid(/_build_info[\s\S]*\nMetric #/, from);
  }

  for (const protocol of protocols) {
    it(`gets the span tree of a PipelineRun with a failure, a retry and a CustomRun over ${protocol}`, async () => {
      const from = collector.said().length;
      const after = world.controller.lines.length;
      const target = { 'tracing-protocol': protocol, 'tracing-endpoint': collector.endpoints[protocol] };
      await world.configure(map, target);
      await world.controller.logged(({ msg }) => msg.startsWith('runs are traced'), after);
      await playPipeline(world, protocol.slice(0, 4));
      await world.configure(map, {});
      await collector.untilSaid(/Name +: release\n/, from);
      const tree = printedTrees(collector.said(from));
      expect(tree).to.equal(readFileSync(golden, 'utf8'));
    });
  }
});

const at = (second: number) =>
  new Date(Date.parse('2026-01-01T00:00:00Z') + second * 1000).toISOString().replace('.000', '');
const between = (from: number, to: number) => ({ startTime: at(from), completionTime: at(to) });
const step = (name: string, from: number, to: number, exitCode: number) => ({
  name,
  terminated: { exitCode, startedAt: at(from), finishedAt: at(to), reason: exitCode === 0 ? 'Completed' : 'Error' },
});

/** A PipelineRun of three: one succeeds, one fails after a retry, one is custom; told in full when this settles. */
async function playPipeline(world: World, prefix: string): Promise<void> {
  const pipelineRun = await world.create('PipelineRun', `${prefix}-release`, {
    spec: { pipelineRef: { name: 'release' } },
  });
  await pipelineRun.condition('Unknown/Running/');
  await pipelineRun.told('running');
  const ownerReferences = [
    { apiVersion: `${svc.apiGroup}/v1`, kind: 'PipelineRun', name: pipelineRun.name, uid: pipelineRun.uid },
  ];
  const part = (pipelineTask: string) => ({
    metadata: {
      ownerReferences,
      labels: {
        [svc.labels.pipeline]: 'release',
        [svc.labels.pipelineRun]: pipelineRun.name,
        [svc.labels.pipelineTask]: pipelineTask,
      },
    },
  });

  const build = await world.create('TaskRun', `${prefix}-build`, part('build'));
  await build.condition('Unknown/Running/');
  await build.told('running');
  await build.condition('True/Succeeded/', { ...between(1, 11), steps: [step('compile', 2, 10, 0)] });
  await build.told('successful');

  const unit = await world.create('TaskRun', `${prefix}-unit`, part('unit'));
  await unit.condition('Unknown/Running/');
  await unit.told('running');
  await unit.condition('Unknown/ToBeRetried/first attempt failed');
  await unit.told('unknown');
  await unit.condition('Unknown/Running/second attempt');
  await unit.condition('False/Failed/two specs failed', { ...between(12, 20), steps: [step('run', 13, 19, 1)] });
  await unit.told('failed');

  const approve = await world.create('CustomRun', `${prefix}-approve`, part('approve'));
  await approve.condition('Unknown/Running/');
  await approve.told('running');
  await approve.condition('True/Succeeded/', between(12, 15));
  await approve.told('successful');

  await pipelineRun.condition('False/Failed/unit failed', between(0, 21));
  await pipelineRun.told('failed');
}
