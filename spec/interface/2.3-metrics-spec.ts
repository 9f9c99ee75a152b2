import { expect } from 'chai';
import type { Kind } from '../../lib/run/kind.ts';
import { linesOf, readScrape, sampleValue } from '../support/scrape.ts';
import { startWorld, type World } from '../support/world.ts';

const inPipeline = { 'svc.dev/pipeline': 'release', 'svc.dev/pipelineRun': 'release-1', 'svc.dev/task': 'unit' };

/** One run of each metric of durations; the labels of each are those of section 2.3. */
const runs: readonly { name: string; kind: Kind; more: Readonly<Record<string, unknown>> }[] = [
  { name: 'alone', kind: 'TaskRun', more: { spec: { taskRef: { kind: 'Task', name: 'build' } } } },
  { name: 'inside', kind: 'TaskRun', more: { metadata: { labels: inPipeline } } },
  { name: 'release-1', kind: 'PipelineRun', more: { spec: { pipelineRef: { name: 'release' } } } },
];

const durationBounds = [10, 30, 60, 300, 900, 1800, 3600, 5400, 10_800, 21_600, 43_200, 86_400, '+Inf'];

describe('2.3 Metrics', () => {
  let world: World;
  let ns: string;
  before(async () => {
    world = await startWorld();
    ns = world.namespace;
  });
  after(() => world.close());

  /** Ends one run of each kind under these settings; gives the samples of the three durations, no bucket. */
  async function durationsUnder(settings: Readonly<Record<string, string>>): Promise<readonly string[]> {
    expect(await world.configure('config-observability', settings)).to.equal('applied');
    for (const { kind, name, more } of runs) {
      const run = await world.finish(kind, name, { more });
      await run.remove();
    }
    const text = await world.scrape();
    return ['pipelinerun_duration_seconds', 'pipelinerun_taskrun_duration_seconds', 'taskrun_duration_seconds'].flatMap(
      (metric) => linesOf(text, metric),
    );
  }

  const rows: readonly { name: string; type: string; help: RegExp }[] = [
    { name: 'pipelinerun_duration_seconds', type: 'histogram', help: /^Seconds .*PipelineRuns/ },
    { name: 'pipelinerun_taskrun_duration_seconds', type: 'histogram', help: /^Seconds .*inside/ },
    { name: 'pipelinerun_total', type: 'counter', help: /PipelineRuns/ },
    { name: 'running_pipelineruns', type: 'gauge', help: /PipelineRuns .*running/ },
    { name: 'taskrun_duration_seconds', type: 'histogram', help: /^Seconds .*TaskRuns/ },
    { name: 'taskrun_total', type: 'counter', help: /TaskRuns/ },
    { name: 'running_taskruns', type: 'gauge', help: /TaskRuns .*running/ },
    { name: 'running_taskruns_throttled_by_quota', type: 'gauge', help: /TaskRuns .*quota/ },
    { name: 'running_taskruns_throttled_by_node', type: 'gauge', help: /TaskRuns .*node/ },
    { name: 'client_latency', type: 'histogram', help: /^Milliseconds .*API server/ },
  ];

  for (const { name, type, help } of rows) {
    it(`${name} is a ${type} with a sentence of help`, async () => {
      const shown = readScrape(await world.scrape()).get(name);
      expect(shown?.type).to.equal(type);
      expect(shown?.help).to.match(help);
    });
  }

  it('a gauge without labels reads 0 when nothing runs', async () => {
    const text = await world.scrape();
    for (const { name } of rows.filter(({ type }) => type === 'gauge')) {
      expect(linesOf(text, name)).to.deep.equal([`${name} 0`]);
    }
  });

  it('durations carry pipeline, task, status and namespace by default', async () => {
    expect(await durationsUnder({})).to.deep.equal([
      `pipelinerun_duration_seconds_count{pipeline="release",status="success",namespace="${ns}"} 1`,
      `pipelinerun_duration_seconds_sum{pipeline="release",status="success",namespace="${ns}"} 42`,
      `pipelinerun_taskrun_duration_seconds_count{pipeline="release",task="unit",status="success",namespace="${ns}"} 1`,
      `pipelinerun_taskrun_duration_seconds_sum{pipeline="release",task="unit",status="success",namespace="${ns}"} 42`,
      `taskrun_duration_seconds_count{task="build",status="success",namespace="${ns}"} 1`,
      `taskrun_duration_seconds_sum{task="build",status="success",namespace="${ns}"} 42`,
    ]);
  });

  it('a histogram of durations has a _bucket for each bound', async () => {
    await world.configure('config-observability', {});
    await world.finish('TaskRun', 'bucketed', { more: { spec: { taskRef: { name: 'bucketed' } } } });
    const { lines = [] } = readScrape(await world.scrape()).get('taskrun_duration_seconds') ?? {};
    const want = durationBounds.map(
      (le) =>
        `taskrun_duration_seconds_bucket{task="bucketed",status="success",namespace="${ns}",le="${le}"} ` +
        `${le === '+Inf' || Number(le) >= 42 ? 1 : 0}`,
    );
    expect(lines.filter((line) => line.includes('_bucket{task="bucketed"'))).to.deep.equal(want);
  });

  it('levels taskrun and pipelinerun add those labels, and the durations are gauges', async () => {
    const levels = { 'metrics.taskrun.level': 'taskrun', 'metrics.pipelinerun.level': 'pipelinerun' };
    expect(await durationsUnder(levels)).to.deep.equal([
      `pipelinerun_duration_seconds{pipeline="release",pipelinerun="release-1",status="success",namespace="${ns}"} 42`,
      `pipelinerun_taskrun_duration_seconds{pipeline="release",pipelinerun="release-1",task="unit",taskrun="inside",` +
        `status="success",namespace="${ns}"} 42`,
      `taskrun_duration_seconds{task="build",taskrun="alone",status="success",namespace="${ns}"} 42`,
    ]);
    const shown = readScrape(await world.scrape());
    const types = ['pipelinerun', 'pipelinerun_taskrun', 'taskrun'].map(
      (of) => shown.get(`${of}_duration_seconds`)?.type,
    );
    expect(types).to.deep.equal(['gauge', 'gauge', 'gauge']);
  });

  it('level namespace leaves status and namespace', async () => {
    const levels = { 'metrics.taskrun.level': 'namespace', 'metrics.pipelinerun.level': 'namespace' };
    expect(await durationsUnder(levels)).to.deep.equal(
      ['pipelinerun', 'pipelinerun_taskrun', 'taskrun'].flatMap((of) => [
        `${of}_duration_seconds_count{status="success",namespace="${ns}"} 1`,
        `${of}_duration_seconds_sum{status="success",namespace="${ns}"} 42`,
      ]),
    );
  });

  it('reason joins the durations with metrics.count.enable-reason', async () => {
    const settings = {
      'metrics.count.enable-reason': 'true',
      'metrics.taskrun.duration-type': 'lastvalue',
      'metrics.pipelinerun.duration-type': 'lastvalue',
    };
    const reason = `status="success",namespace="${ns}",reason="Succeeded"`;
    expect(await durationsUnder(settings)).to.deep.equal([
      `pipelinerun_duration_seconds{pipeline="release",${reason}} 42`,
      `pipelinerun_taskrun_duration_seconds{pipeline="release",task="unit",${reason}} 42`,
      `taskrun_duration_seconds{task="build",${reason}} 42`,
    ]);
  });

  it('status is success, failed or cancelled', async () => {
    await world.configure('config-observability', { 'metrics.taskrun.level': 'namespace' });
    await world.finish('TaskRun', 'well');
    await world.finish('TaskRun', 'badly', { condition: 'False/Failed/' });
    await world.finish('TaskRun', 'stopped', { condition: 'False/TaskRunCancelled/' });
    const text = await world.scrape();
    const counts = linesOf(text, 'taskrun_duration_seconds').filter((line) => line.includes('_count'));
    const statuses = counts.map((line) => /status="(\w+)",.* (\d+)$/.exec(line)?.slice(1).join(' '));
    expect(statuses).to.deep.equal(['cancelled 1', 'failed 1', 'success 1']);
  });

  it('totals count every run that ended, with status and reason, whatever enable-reason says', async () => {
    await world.configure('config-observability', { 'metrics.count.enable-reason': 'false' });
    const condition = 'False/TaskRunTimeout/';
    await world.finish('TaskRun', 'counted', { condition });
    await world.finish('TaskRun', 'counted-inside', { condition, more: { metadata: { labels: inPipeline } } });
    await world.finish('PipelineRun', 'counted', { condition: 'False/PipelineRunTimeout/' });
    const text = await world.scrape();
    expect(linesOf(text, 'taskrun_total')).to.include('taskrun_total{status="failed",reason="TaskRunTimeout"} 2');
    expect(linesOf(text, 'pipelinerun_total')).to.include(
      'pipelinerun_total{status="failed",reason="PipelineRunTimeout"} 1',
    );
  });

  it('gauges count what runs now, throttled TaskRuns by what holds them back', async () => {
    const conditions = ['Running', 'ExceededResourceQuota', 'ExceededNodeResources'];
    const running = await Promise.all(
      conditions.map(async (reason, index) => {
        const run = await world.create('TaskRun', `runs-${index}`);
        await run.condition(`Unknown/${reason}/`);
        await run.told(index === 0 ? 'running' : 'unknown');
        return run;
      }),
    );
    const text = await world.scrape();
    const gauges = ['running_taskruns', 'running_taskruns_throttled_by_quota', 'running_taskruns_throttled_by_node'];
    expect(gauges.map((name) => sampleValue(text, name))).to.deep.equal([3, 1, 1]);
    await Promise.all(running.map((run) => run.remove()));
    await world.scrapeUntil((later) => gauges.every((name) => sampleValue(later, name) === 0));
  });

  it('a run that is parked does not run', async () => {
    const run = await world.create('TaskRun', 'parked', { spec: { status: 'TaskRunPending' } });
    await run.condition('Unknown/Pending/');
    await run.told('unknown');
    expect(sampleValue(await world.scrape(), 'running_taskruns')).to.equal(0);
    await run.patch({ spec: { status: null } });
    await world.scrapeUntil((text) => sampleValue(text, 'running_taskruns') === 1);
    await run.remove();
  });

  it('namespace joins the throttle gauges with metrics.taskrun.throttle.enable-namespace', async () => {
    await world.configure('config-observability', { 'metrics.taskrun.throttle.enable-namespace': 'true' });
    const run = await world.create('TaskRun', 'throttled');
    await run.condition('Unknown/ExceededResourceQuota/');
    await run.told('unknown');
    const text = await world.scrape();
    const shown = ['quota', 'node'].map((by) => linesOf(text, `running_taskruns_throttled_by_${by}`));
    expect(shown).to.deep.equal([[`running_taskruns_throttled_by_quota{namespace="${ns}"} 1`], []]);
    await run.remove();
  });

  const runningLevels: readonly { level: string; labels: (ns: string) => string }[] = [
    { level: 'pipelinerun', labels: (name) => `{pipeline="release",pipelinerun="under-way",namespace="${name}"}` },
    { level: 'pipeline', labels: (name) => `{pipeline="release",namespace="${name}"}` },
    { level: 'namespace', labels: (name) => `{namespace="${name}"}` },
    { level: '', labels: () => '' },
  ];

  it('running_pipelineruns has the labels of metrics.running-pipelinerun.level', async () => {
    const run = await world.create('PipelineRun', 'under-way', { spec: { pipelineRef: { name: 'release' } } });
    await run.condition('Unknown/Running/');
    await run.told('running');
    for (const { level, labels } of runningLevels) {
      await world.configure('config-observability', { 'metrics.running-pipelinerun.level': level });
      expect(linesOf(await world.scrape(), 'running_pipelineruns')).to.deep.equal([
        `running_pipelineruns${labels(ns)} 1`,
      ]);
    }
    await run.remove();
  });

  it('client_latency counts requests to the API server in milliseconds, without labels', async () => {
    const text = await world.scrape();
    const { lines = [] } = readScrape(text).get('client_latency') ?? {};
    const bounds = lines.flatMap((line) => /_bucket\{le="([^"]+)"\}/.exec(line)?.[1] ?? []);
    const inMs = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000].map(String);
    expect(bounds).to.deep.equal([...inMs, '+Inf']);
    expect(sampleValue(text, 'client_latency_count')).to.be.greaterThan(0);
    expect(sampleValue(text, 'client_latency_sum')).to.be.greaterThan(0);
  });
});
