import { expect } from 'chai';
import { profiles } from '../../../../lib/profile.ts';
import { finish, pipelineTaskRun, step, taskRun } from '../../metrics/steps.ts';
import { createHarness } from './harness.ts';

const fiveMinutesMs = 300_000;
const name = 'taskrun_duration_seconds';

describe('series that leave', () => {
  for (const settings of [{ taskrunLevel: 'taskrun' }, { taskrunDurationType: 'lastvalue' }] as const) {
    it(`leave five minutes after their run is deleted under ${JSON.stringify(settings)}`, async () => {
      const { metrics, clock, scrape } = createHarness(settings);
      const end = finish(taskRun());
      metrics.record(end);
      clock.nowMs += 10 * fiveMinutesMs;
      expect(await scrape(name)).to.have.length(1);
      metrics.record(step(end.after, undefined));
      clock.nowMs += fiveMinutesMs - 1;
      expect(await scrape(name)).to.have.length(1);
      clock.nowMs += 1;
      expect(await scrape(name)).to.deep.equal([]);
      expect(await scrape(`series{metric="svc_pipelines_controller_${name}"`)).to.deep.equal([
        `series{metric="svc_pipelines_controller_${name}"} 0`,
      ]);
    });
  }

  it('stay as long as one of their runs is there', async () => {
    const { metrics, clock, scrape } = createHarness({ taskrunDurationType: 'lastvalue' });
    metrics.record(finish(taskRun()));
    metrics.record(finish(taskRun({ uid: 'u2' }), { durationSeconds: 7 }));
    metrics.record(step(taskRun({ uid: 'u2' }), undefined));
    clock.nowMs += fiveMinutesMs;
    expect(await scrape(name)).to.deep.equal([`${name}{task="build",status="success",namespace="shop"} 7`]);
    metrics.record(step(taskRun(), undefined));
    clock.nowMs += fiveMinutesMs;
    expect(await scrape(name)).to.deep.equal([]);
  });

  it('stay when another run speaks in them before they go', async () => {
    const { metrics, clock, scrape } = createHarness({ taskrunDurationType: 'lastvalue' });
    metrics.record(finish(taskRun()));
    metrics.record(step(taskRun(), undefined));
    clock.nowMs += fiveMinutesMs - 1;
    metrics.record(finish(taskRun({ uid: 'u2' })));
    clock.nowMs += fiveMinutesMs;
    expect(await scrape(name)).to.have.length(1);
  });

  it('are only those that name single runs or show a last value', async () => {
    const { metrics, clock, scrape } = createHarness();
    metrics.record(finish(taskRun()));
    metrics.record(step(taskRun(), undefined));
    clock.nowMs += 2 * fiveMinutesMs;
    expect(await scrape(`${name}_count`)).to.have.length(1);
    expect(await scrape('taskrun_total')).to.have.length(1);
  });

  it('go though their run was seen to finish twice', async () => {
    const { metrics, clock, scrape } = createHarness({ taskrunDurationType: 'lastvalue' });
    metrics.record(finish(taskRun(), { status: 'failed' }));
    metrics.record(finish(taskRun()));
    metrics.record(step(taskRun(), undefined));
    clock.nowMs += fiveMinutesMs;
    expect(await scrape(name)).to.deep.equal([]);
  });

  it('may be histograms where the profile has single runs so', async () => {
    const { metrics, clock, scrape } = createHarness({ taskrunLevel: 'taskrun' }, { profile: profiles.tekton });
    metrics.record(finish(taskRun()));
    metrics.record(step(taskRun(), undefined));
    expect(await scrape(`${name}_count`)).to.have.length(1);
    clock.nowMs += fiveMinutesMs;
    expect(await scrape(name)).to.deep.equal([]);
  });

  it('hold under the PipelineRun they name until its last TaskRun is gone', async () => {
    const { metrics, clock, scrape } = createHarness({ pipelinerunLevel: 'pipelinerun' });
    metrics.record(finish(pipelineTaskRun()));
    metrics.record(finish(pipelineTaskRun({ uid: 'u2' })));
    metrics.record(step(pipelineTaskRun(), undefined));
    clock.nowMs += fiveMinutesMs;
    expect(await scrape('pipelinerun_taskrun_duration_seconds')).to.have.length(1);
    metrics.record(step(pipelineTaskRun({ uid: 'u2' }), undefined));
    clock.nowMs += fiveMinutesMs;
    expect(await scrape('pipelinerun_taskrun_duration_seconds')).to.deep.equal([]);
  });

  it('go too when their kind is forgotten, and only then', async () => {
    const { metrics, clock, scrape } = createHarness({ taskrunLevel: 'taskrun' });
    metrics.record(finish(taskRun()));
    metrics.forgetAll('PipelineRun');
    clock.nowMs += fiveMinutesMs;
    expect(await scrape(name)).to.have.length(1);
    metrics.forgetAll('TaskRun');
    clock.nowMs += fiveMinutesMs;
    expect(await scrape(name)).to.deep.equal([]);
  });

  it('make room for others when their time has come, though nobody scrapes', async () => {
    const { metrics, clock, scrape } = createHarness({ taskrunLevel: 'taskrun', seriesLimit: 1 });
    metrics.record(finish(taskRun()));
    metrics.record(step(taskRun(), undefined));
    clock.nowMs += fiveMinutesMs;
    metrics.record(finish(taskRun({ uid: 'u2', name: 'build-2' })));
    expect(await scrape(name)).to.deep.equal([
      `${name}{task="build",taskrun="build-2",status="success",namespace="shop"} 42`,
    ]);
  });

  it('are held by no more runs than may be remembered, the oldest taken for deleted', async () => {
    const { metrics, clock, scrape } = createHarness({ taskrunLevel: 'taskrun' }, { maxHolding: 2 });
    for (const uid of ['u1', 'u2', 'u3']) metrics.record(finish(taskRun({ uid, name: uid })));
    expect(await scrape('series_holding_runs')).to.deep.equal([
      'series_holding_runs 2',
      'series_holding_runs_forgotten_total 1',
    ]);
    clock.nowMs += fiveMinutesMs;
    expect((await scrape(name)).map((line) => line.match(/taskrun="(\w+)"/)?.[1])).to.deep.equal(['u2', 'u3']);
  });
});
