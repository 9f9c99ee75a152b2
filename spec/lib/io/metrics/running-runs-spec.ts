import { expect } from 'chai';
import fc from 'fast-check';
import { gaugesOf } from '../../../../lib/metrics/samples.ts';
import { defaultMetricsSettings } from '../../../../lib/metrics/settings.ts';
import { profiles } from '../../../../lib/profile.ts';
import type { Run } from '../../../../lib/run/run.ts';
import { finish, pipelineRun, step, taskRun, unknown } from '../../metrics/steps.ts';
import { createHarness } from './harness.ts';

const quota = { condition: unknown('ExceededResourceQuota') };
const node = { condition: unknown('ExceededNodeResources') };

describe('run gauges', () => {
  const lives: readonly {
    what: string;
    runs: readonly (Run | undefined)[];
    want: readonly [number, number, number];
  }[] = [
    { what: 'nothing', runs: [], want: [0, 0, 0] },
    { what: 'a run', runs: [taskRun()], want: [1, 0, 0] },
    { what: 'a run seen twice', runs: [taskRun(), taskRun({ resourceVersion: '2' })], want: [1, 0, 0] },
    { what: 'a deleted run', runs: [taskRun(), undefined], want: [0, 0, 0] },
    { what: 'a run over quota', runs: [taskRun(quota)], want: [1, 1, 0] },
    { what: 'a run that got its quota', runs: [taskRun(quota), taskRun()], want: [1, 0, 0] },
    { what: 'a run from quota to node', runs: [taskRun(quota), taskRun(node)], want: [1, 0, 1] },
    { what: 'a throttled run deleted', runs: [taskRun(node), undefined], want: [0, 0, 0] },
    { what: 'a parked run', runs: [taskRun({ parked: true })], want: [0, 0, 0] },
    { what: 'a run un-parked', runs: [taskRun({ parked: true }), taskRun()], want: [1, 0, 0] },
    { what: 'a run parked again', runs: [taskRun(), taskRun({ parked: true })], want: [0, 0, 0] },
    { what: 'a vanished condition', runs: [taskRun(), taskRun({ condition: undefined })], want: [0, 0, 0] },
    { what: 'a CustomRun', runs: [taskRun({ kind: 'CustomRun' })], want: [0, 0, 0] },
  ];

  for (const { what, runs, want } of lives) {
    it(`counts ${what} as ${want.join(', ')}`, async () => {
      const { metrics, scrape } = createHarness();
      for (const [index, run] of runs.entries()) metrics.record(step(runs[index - 1], run));
      expect(await scrape('running_taskruns')).to.deep.equal([
        `running_taskruns ${want[0]}`,
        `running_taskruns_throttled_by_node ${want[2]}`,
        `running_taskruns_throttled_by_quota ${want[1]}`,
      ]);
    });
  }

  it('counts a finished run out', async () => {
    const { metrics, scrape } = createHarness();
    metrics.record(step(undefined, taskRun()));
    metrics.record(finish(taskRun()));
    expect(await scrape('running_taskruns ')).to.deep.equal(['running_taskruns 0']);
  });

  it('counts TaskRuns and PipelineRuns apart', async () => {
    const { metrics, scrape } = createHarness();
    metrics.record(step(undefined, taskRun()));
    metrics.record(step(undefined, pipelineRun()));
    metrics.record(step(undefined, pipelineRun({ uid: 'p2' })));
    expect(await scrape('running_taskruns ')).to.deep.equal(['running_taskruns 1']);
    expect(await scrape('running_pipelineruns')).to.deep.equal(['running_pipelineruns 2']);
  });

  it('moves a run whose pipeline label is edited', async () => {
    const { metrics, scrape } = createHarness({ runningPipelinerunLevel: 'pipeline' });
    metrics.record(step(undefined, pipelineRun()));
    metrics.record(step(pipelineRun(), pipelineRun({ pipeline: 'hotfix' })));
    await scrape('running_pipelineruns');
    expect(await scrape('running_pipelineruns')).to.deep.equal([
      'running_pipelineruns{pipeline="hotfix",namespace="shop"} 1',
    ]);
  });

  it('labels throttled runs by namespace, reads 0 once, then shows nothing', async () => {
    const { metrics, scrape } = createHarness({ throttleEnableNamespace: true });
    metrics.record(step(undefined, taskRun(quota)));
    const name = 'running_taskruns_throttled_by_quota';
    expect(await scrape(name)).to.deep.equal([`${name}{namespace="shop"} 1`]);
    metrics.record(step(taskRun(quota), taskRun()));
    expect(await scrape(name)).to.deep.equal([`${name}{namespace="shop"} 0`]);
    expect(await scrape(name)).to.deep.equal([]);
  });

  it('counts on when a series at 0 comes back before it left', async () => {
    const { metrics, scrape } = createHarness({ throttleEnableNamespace: true });
    const name = 'running_taskruns_throttled_by_quota';
    metrics.record(step(undefined, taskRun(quota)));
    metrics.record(step(taskRun(quota), taskRun()));
    await scrape(name);
    metrics.record(step(taskRun(), taskRun(quota)));
    expect(await scrape(name)).to.deep.equal([`${name}{namespace="shop"} 1`]);
    expect(await scrape(name)).to.deep.equal([`${name}{namespace="shop"} 1`]);
  });

  it('keeps throttle series at 0 where the profile does', async () => {
    const { metrics, scrape } = createHarness({ throttleEnableNamespace: true }, { profile: profiles.tekton });
    const name = 'running_taskruns_throttled_by_node';
    metrics.record(step(undefined, taskRun(node)));
    metrics.record(step(taskRun(node), undefined));
    await scrape(name);
    expect(await scrape(name)).to.deep.equal([`${name}{namespace="shop"} 0`]);
  });

  it('shows the gauges of a kind only while told to, and counts meanwhile', async () => {
    const { metrics, scrape } = createHarness();
    metrics.setRunGauges('TaskRun', false);
    metrics.record(step(undefined, taskRun()));
    expect(await scrape('running_taskruns')).to.deep.equal([]);
    expect(await scrape('running_pipelineruns')).to.deep.equal(['running_pipelineruns 0']);
    metrics.setRunGauges('TaskRun', true);
    expect(await scrape('running_taskruns ')).to.deep.equal(['running_taskruns 1']);
  });

  it('stays hidden through a change of settings', async () => {
    const { metrics, apply, scrape } = createHarness();
    metrics.setRunGauges('PipelineRun', false);
    apply({ runningPipelinerunLevel: 'namespace' });
    metrics.record(step(undefined, pipelineRun()));
    expect(await scrape('running_pipelineruns')).to.deep.equal([]);
  });

  it('forgets all runs of one kind', async () => {
    const { metrics, scrape } = createHarness();
    metrics.record(step(undefined, taskRun()));
    metrics.record(step(undefined, pipelineRun()));
    metrics.forgetAll('TaskRun');
    expect(await scrape('running_taskruns ')).to.deep.equal(['running_taskruns 0']);
    expect(await scrape('running_pipelineruns')).to.deep.equal(['running_pipelineruns 1']);
    metrics.record(step(taskRun(), undefined));
    expect(await scrape('running_taskruns ')).to.deep.equal(['running_taskruns 0']);
  });

  it('counts no more runs than it may remember, and says so', async () => {
    const { metrics, scrape } = createHarness({}, { maxRunningRuns: 1 });
    metrics.record(step(undefined, taskRun()));
    metrics.record(step(undefined, taskRun({ uid: 'u2' })));
    expect(await scrape('running_taskruns ')).to.deep.equal(['running_taskruns 1']);
    expect(await scrape('running_runs_uncounted_total')).to.deep.equal(['running_runs_uncounted_total 1']);
    metrics.record(step(taskRun({ uid: 'u2' }), undefined));
    metrics.record(step(taskRun(), undefined));
    expect(await scrape('running_taskruns ')).to.deep.equal(['running_taskruns 0']);
  });

  it('equals a count from scratch after any sequence of steps', async () => {
    const versions = fc.record({
      uid: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      version: fc.option(
        fc.record({
          reason: fc.constantFrom('Running', 'ExceededResourceQuota', 'ExceededNodeResources'),
          status: fc.constantFrom('Unknown', 'Unknown', 'True', 'none'),
          parked: fc.boolean(),
          pipeline: fc.constantFrom('x', 'y'),
        }),
      ),
      level: fc.option(fc.constantFrom('', 'namespace', 'pipeline', 'pipelinerun'), { freq: 5 }),
      throttle: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(versions, { maxLength: 60 }), async (given) => {
        const { metrics, apply, scrape } = createHarness();
        const known = new Map<string, Run>();
        let settings = defaultMetricsSettings;
        for (const { uid, version, level, throttle } of given) {
          if (level !== null) {
            settings = { ...settings, runningPipelinerunLevel: level as '', throttleEnableNamespace: throttle };
            apply(settings);
          }
          const after = version === null ? undefined : runOf(uid, version);
          metrics.record(step(known.get(uid), after));
          if (after === undefined) known.delete(uid);
          else known.set(uid, after);
        }
        const shown = (await scrape('running_')).filter((line) => !line.endsWith(' 0') && !line.includes('uncounted'));
        expect([...shown].sort()).to.deep.equal(fromScratch([...known.values()], settings));
      }),
      { numRuns: 60 },
    );
  });
});

type Version = { reason: string; status: string; parked: boolean; pipeline: string };

function runOf(uid: string, { reason, status, parked, pipeline }: Version): Run {
  const condition = status === 'none' ? undefined : { ...unknown(reason), status: status as 'Unknown' };
  const fields = { uid, condition, parked, namespace: uid < 'c' ? 'shop' : 'bank' };
  return uid < 'b' || uid > 'd' ? taskRun(fields) : pipelineRun({ ...fields, pipeline });
}

function fromScratch(runs: readonly Run[], settings: typeof defaultMetricsSettings): readonly string[] {
  const counts = new Map<string, number>();
  for (const { metric, labels } of runs.flatMap((run) => gaugesOf(run, settings, profiles.svc))) {
    const inner = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
    const series = inner.length === 0 ? metric : `${metric}{${inner.join()}}`;
    counts.set(series, (counts.get(series) ?? 0) + 1);
  }
  return [...counts].map(([series, count]) => `${series} ${count}`).sort();
}
