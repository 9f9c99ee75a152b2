import { expect } from 'chai';
import type { LogFields } from '../../../../lib/log.ts';
import { silentLog } from '../../../../lib/log.ts';
import type { MetricsSettings } from '../../../../lib/metrics/settings.ts';
import { profiles } from '../../../../lib/profile.ts';
import type { Step } from '../../../../lib/run/step.ts';
import { finish, pipelineRun, pipelineTaskRun, step, taskRun } from '../../metrics/steps.ts';
import { createHarness } from './harness.ts';

const prefix = 'svc_pipelines_controller_';

describe('createMetrics, finished runs', () => {
  const single = { taskrunLevel: 'taskrun', pipelinerunLevel: 'pipelinerun' } as const;
  const both = { taskrunDurationType: 'lastvalue', pipelinerunDurationType: 'lastvalue' } as const;
  const namespaces = { taskrunLevel: 'namespace', pipelinerunLevel: 'namespace' } as const;
  const rows: readonly { given: Partial<MetricsSettings>; when: Step; scrape: string; want: readonly string[] }[] = [
    {
      given: {},
      when: finish(taskRun()),
      scrape: 'taskrun_total',
      want: ['taskrun_total{status="success",reason="Succeeded"} 1'],
    },
    {
      given: {},
      when: finish(pipelineTaskRun(), { status: 'failed', reason: 'TaskRunTimeout' }),
      scrape: 'taskrun_total',
      want: ['taskrun_total{status="failed",reason="TaskRunTimeout"} 1'],
    },
    {
      given: {},
      when: finish(pipelineRun(), { status: 'cancelled', reason: 'Cancelled' }),
      scrape: 'pipelinerun_total',
      want: ['pipelinerun_total{status="cancelled",reason="Cancelled"} 1'],
    },
    {
      given: {},
      when: finish(taskRun()),
      scrape: 'taskrun_duration_seconds_sum',
      want: ['taskrun_duration_seconds_sum{task="build",status="success",namespace="shop"} 42'],
    },
    {
      given: { countEnableReason: true },
      when: finish(taskRun()),
      scrape: 'taskrun_duration_seconds_count',
      want: ['taskrun_duration_seconds_count{task="build",status="success",namespace="shop",reason="Succeeded"} 1'],
    },
    {
      given: namespaces,
      when: finish(taskRun()),
      scrape: 'taskrun_duration_seconds_count',
      want: ['taskrun_duration_seconds_count{status="success",namespace="shop"} 1'],
    },
    {
      given: single,
      when: finish(taskRun()),
      scrape: 'taskrun_duration_seconds',
      want: ['taskrun_duration_seconds{task="build",taskrun="build-1",status="success",namespace="shop"} 42'],
    },
    {
      given: both,
      when: finish(taskRun()),
      scrape: 'taskrun_duration_seconds',
      want: ['taskrun_duration_seconds{task="build",status="success",namespace="shop"} 42'],
    },
    { given: {}, when: finish(pipelineTaskRun()), scrape: 'taskrun_duration_seconds', want: [] },
    { given: {}, when: finish(taskRun()), scrape: 'pipelinerun_', want: [] },
    {
      given: single,
      when: finish(pipelineTaskRun()),
      scrape: 'pipelinerun_taskrun_duration_seconds',
      want: [
        'pipelinerun_taskrun_duration_seconds{pipeline="release",pipelinerun="release-1",task="build",' +
          'taskrun="build-1",status="success",namespace="shop"} 42',
      ],
    },
    {
      given: { pipelinerunLevel: 'namespace' },
      when: finish(pipelineTaskRun()),
      scrape: 'pipelinerun_taskrun_duration_seconds_count',
      want: ['pipelinerun_taskrun_duration_seconds_count{task="build",status="success",namespace="shop"} 1'],
    },
    {
      given: {},
      when: finish(pipelineRun()),
      scrape: 'pipelinerun_duration_seconds_count',
      want: ['pipelinerun_duration_seconds_count{pipeline="release",status="success",namespace="shop"} 1'],
    },
    {
      given: single,
      when: finish(pipelineRun()),
      scrape: 'pipelinerun_duration_seconds',
      want: [
        'pipelinerun_duration_seconds{pipeline="release",pipelinerun="release-1",status="success",namespace="shop"} 42',
      ],
    },
    { given: {}, when: finish(taskRun({ kind: 'CustomRun' })), scrape: 'taskrun_', want: [] },
  ];

  for (const { given, when, scrape, want } of rows) {
    const run = `${when.after?.inPipeline ? 'pipeline ' : ''}${when.after?.kind}`;
    it(`shows ${want.length} line of ${scrape} for a finished ${run} under ${JSON.stringify(given)}`, async () => {
      const harness = createHarness(given);
      harness.metrics.record(when);
      expect(await harness.scrape(scrape)).to.deep.equal(want);
    });
  }

  it('adds runs up in cumulative buckets', async () => {
    const { metrics, scrape } = createHarness();
    for (const durationSeconds of [5, 10, 42, 100_000]) metrics.record(finish(taskRun(), { durationSeconds }));
    const bounds = [10, 30, 60, 300, 900, 1800, 3600, 5400, 10800, 21600, 43200, 86400, '+Inf'];
    const counts = [2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4];
    const labels = 'task="build",status="success",namespace="shop"';
    expect(await scrape('taskrun_duration_seconds')).to.deep.equal([
      ...bounds.map((le, index) => `taskrun_duration_seconds_bucket{${labels},le="${le}"} ${counts[index]}`),
      `taskrun_duration_seconds_sum{${labels}} 100057`,
      `taskrun_duration_seconds_count{${labels}} 4`,
    ]);
  });

  it('speaks the names of the other profile', async () => {
    const { metrics, scrape } = createHarness({}, { profile: profiles.tekton });
    metrics.record(finish(taskRun()));
    expect(await scrape('taskrun_total')).to.deep.equal(['taskrun_total{status="success"} 1']);
  });
});

describe('createMetrics, a change of settings', () => {
  it('keeps the counters and starts a changed duration empty', async () => {
    const { metrics, apply, scrape } = createHarness();
    metrics.record(finish(taskRun()));
    apply({ taskrunLevel: 'namespace' });
    expect(await scrape('taskrun_duration_seconds')).to.deep.equal([]);
    expect(await scrape('taskrun_total')).to.deep.equal(['taskrun_total{status="success",reason="Succeeded"} 1']);
    metrics.record(finish(taskRun({ uid: 'u2' })));
    expect(await scrape('taskrun_duration_seconds_count')).to.deep.equal([
      'taskrun_duration_seconds_count{status="success",namespace="shop"} 1',
    ]);
    expect(await scrape('taskrun_total')).to.deep.equal(['taskrun_total{status="success",reason="Succeeded"} 2']);
  });

  it('leaves a duration alone whose shape stays', async () => {
    const { metrics, apply, scrape } = createHarness();
    metrics.record(finish(taskRun()));
    apply({ pipelinerunLevel: 'namespace', seriesLimit: 5 });
    expect(await scrape('taskrun_duration_seconds_count')).to.have.length(1);
  });

  it('turns a histogram into a gauge and back without a failing scrape', async () => {
    const { metrics, apply, page } = createHarness();
    for (const taskrunDurationType of ['lastvalue', 'histogram', 'lastvalue'] as const) {
      apply({ taskrunDurationType });
      metrics.record(finish(taskRun()));
      const type = taskrunDurationType === 'lastvalue' ? 'gauge' : 'histogram';
      expect((await page()).match(/# TYPE \S+?controller_taskrun_duration_seconds (\w+)/)?.[1]).to.equal(type);
    }
  });

  it('shows one label shape in a scrape that was under way', async () => {
    const { metrics, apply } = createHarness();
    for (let task = 0; task < 500; task += 1) metrics.record(finish(taskRun({ uid: `u${task}`, task: `t${task}` })));
    const chunks: string[] = [];
    for await (const chunk of metrics.render('text')) {
      chunks.push(chunk);
      apply({ taskrunLevel: 'namespace' });
      metrics.record(finish(taskRun()));
    }
    const lines = chunks.join('').match(/^\S+controller_taskrun_duration_seconds_count.*$/gm) ?? [];
    expect(chunks.length).to.be.greaterThan(3);
    expect(lines).to.have.length(500);
    expect(lines.filter((line) => !line.includes('task='))).to.deep.equal([]);
  });

  it('re-labels the gauges of what runs now, and keeps their values', async () => {
    const { metrics, apply, scrape } = createHarness();
    metrics.record(step(undefined, pipelineRun()));
    metrics.record(step(undefined, pipelineRun({ uid: 'p2', name: 'release-2', pipelineRun: 'release-2' })));
    const at = async (level: MetricsSettings['runningPipelinerunLevel']) => {
      apply({ runningPipelinerunLevel: level });
      return scrape('running_pipelineruns');
    };
    expect(await at('')).to.deep.equal(['running_pipelineruns 2']);
    expect(await at('namespace')).to.deep.equal(['running_pipelineruns{namespace="shop"} 2']);
    expect(await at('pipeline')).to.deep.equal(['running_pipelineruns{pipeline="release",namespace="shop"} 2']);
    expect(await at('pipelinerun')).to.deep.equal([
      'running_pipelineruns{pipeline="release",pipelinerun="release-1",namespace="shop"} 1',
      'running_pipelineruns{pipeline="release",pipelinerun="release-2",namespace="shop"} 1',
    ]);
    metrics.record(step(pipelineRun(), undefined));
    expect(await at('')).to.deep.equal(['running_pipelineruns 1']);
  });

  it('says in the log when labels overrule the duration-type', () => {
    const said: LogFields[] = [];
    const { apply } = createHarness({}, { log: { ...silentLog, info: (fields) => said.push(fields) } });
    apply({ taskrunLevel: 'taskrun' });
    apply({ taskrunLevel: 'taskrun', seriesLimit: 7 });
    expect(said).to.deep.equal([
      { metric: `${prefix}pipelinerun_taskrun_duration_seconds` },
      { metric: `${prefix}taskrun_duration_seconds` },
    ]);
  });
});

describe('createMetrics, the series limit', () => {
  it('folds new values and counts them', async () => {
    const { metrics, scrape } = createHarness({ seriesLimit: 2 });
    for (const task of ['a', 'b', 'c', 'd', 'a']) metrics.record(finish(taskRun({ task })));
    expect(await scrape('taskrun_duration_seconds_count')).to.deep.equal([
      'taskrun_duration_seconds_count{task="a",status="success",namespace="shop"} 2',
      'taskrun_duration_seconds_count{task="b",status="success",namespace="shop"} 1',
      'taskrun_duration_seconds_count{task="_overflow",status="success",namespace="shop"} 2',
    ]);
    expect(await scrape(`series_overflow_total{metric="${prefix}taskrun_duration_seconds"}`)).to.deep.equal([
      `series_overflow_total{metric="${prefix}taskrun_duration_seconds"} 2`,
    ]);
    expect(await scrape(`series{metric="${prefix}taskrun_duration_seconds"}`)).to.deep.equal([
      `series{metric="${prefix}taskrun_duration_seconds"} 3`,
    ]);
    expect(await scrape('series_limit')).to.deep.equal(['series_limit 2']);
  });

  it('keeps the status of a folded total', async () => {
    const { metrics, scrape } = createHarness({ seriesLimit: 1 });
    metrics.record(finish(taskRun(), { status: 'failed', reason: 'A' }));
    metrics.record(finish(taskRun(), { status: 'failed', reason: 'B' }));
    expect(await scrape('taskrun_total')).to.deep.equal([
      'taskrun_total{status="failed",reason="A"} 1',
      'taskrun_total{status="failed",reason="_overflow"} 1',
    ]);
  });

  it('holds from the next sample when it is raised', async () => {
    const { metrics, apply, scrape } = createHarness({ seriesLimit: 1 });
    metrics.record(finish(taskRun({ task: 'a' })));
    apply({ seriesLimit: 2 });
    metrics.record(finish(taskRun({ task: 'b' })));
    expect(await scrape('taskrun_duration_seconds_count')).to.have.length(2);
    expect(await scrape('taskrun_duration_seconds_count{task="b"')).to.have.length(1);
  });

  it('leaves what is there alone when it is lowered, and takes nothing new', async () => {
    const { metrics, apply, scrape } = createHarness({ seriesLimit: 2 });
    for (const task of ['a', 'b']) metrics.record(finish(taskRun({ task })));
    apply({ seriesLimit: 1 });
    for (const task of ['a', 'c']) metrics.record(finish(taskRun({ task })));
    const counts = await scrape('taskrun_duration_seconds_count');
    expect(counts.map((line) => line.replace(/^.*task="(\w+)".* (\d+)$/, '$1 $2'))).to.deep.equal([
      'a 2',
      'b 1',
      '_overflow 1',
    ]);
  });

  it('counts a run out of the series that it was counted into', async () => {
    const { metrics, scrape } = createHarness({ seriesLimit: 1, runningPipelinerunLevel: 'namespace' });
    const first = pipelineRun({ namespace: 'a' });
    const second = pipelineRun({ uid: 'p2', namespace: 'b' });
    metrics.record(step(undefined, first));
    metrics.record(step(undefined, second));
    metrics.record(finish(first));
    expect(await scrape('running_pipelineruns')).to.deep.equal([
      'running_pipelineruns{namespace="a"} 0',
      'running_pipelineruns{namespace="_overflow"} 1',
    ]);
    metrics.record(step(second, undefined));
    expect(await scrape('running_pipelineruns')).to.deep.equal(['running_pipelineruns{namespace="_overflow"} 0']);
    expect(await scrape('running_pipelineruns')).to.deep.equal([]);
  });

  it('makes room by dropping gauges at 0 before it folds', async () => {
    const { metrics, scrape } = createHarness({ seriesLimit: 1, runningPipelinerunLevel: 'namespace' });
    metrics.record(step(undefined, pipelineRun({ namespace: 'a' })));
    metrics.record(step(pipelineRun(), undefined));
    metrics.record(step(undefined, pipelineRun({ uid: 'p2', namespace: 'b' })));
    expect(await scrape('running_pipelineruns')).to.deep.equal(['running_pipelineruns{namespace="b"} 1']);
  });
});

describe('createMetrics, around the runs', () => {
  it('shows the latency of requests from the start', async () => {
    const { metrics, scrape } = createHarness();
    expect(await scrape('client_latency_count')).to.deep.equal(['client_latency_count 0']);
    metrics.observeClientLatency(7);
    expect(await scrape('client_latency_bucket{le="5"}')).to.deep.equal(['client_latency_bucket{le="5"} 0']);
    expect(await scrape('client_latency_bucket{le="10"}')).to.deep.equal(['client_latency_bucket{le="10"} 1']);
    expect(await scrape('client_latency_sum')).to.deep.equal(['client_latency_sum 7']);
  });

  it('says which version runs', async () => {
    const { scrape } = createHarness();
    expect(await scrape('build_info')).to.deep.equal(['build_info{version="1.2.3",node="v24.0.0",profile="svc"} 1']);
  });

  it('has an overflow counter at 0 for every metric of the interface', async () => {
    const lines = await createHarness().scrape('series_overflow_total');
    expect(lines.filter((line) => line.endsWith(' 0'))).to.have.length(10);
  });
});
