import { expect } from 'chai';
import { gaugesOf, sameGauges, samplesOf } from '../../../lib/metrics/samples.ts';
import { defaultMetricsSettings } from '../../../lib/metrics/settings.ts';
import { type Profile, profiles } from '../../../lib/profile.ts';
import type { Run } from '../../../lib/run/run.ts';
import { finish, pipelineRun, pipelineTaskRun, step, taskRun, unknown } from './steps.ts';

const settings = defaultMetricsSettings;

describe('samplesOf', () => {
  const rows = [
    { what: 'a TaskRun on its own', run: taskRun(), want: ['taskrun_total', 'taskrun_duration_seconds'] },
    {
      what: 'a TaskRun inside a PipelineRun',
      run: pipelineTaskRun(),
      want: ['taskrun_total', 'pipelinerun_taskrun_duration_seconds'],
    },
    { what: 'a PipelineRun', run: pipelineRun(), want: ['pipelinerun_total', 'pipelinerun_duration_seconds'] },
    { what: 'a CustomRun', run: taskRun({ kind: 'CustomRun' }), want: [] },
  ];

  for (const { what, run, want } of rows) {
    it(`counts and times ${what} in ${want.join(' and ') || 'nothing'}`, () => {
      const samples = samplesOf(finish(run, { durationSeconds: 42 }), settings, profiles.svc);
      expect(samples.map(({ metric }) => metric)).to.deep.equal(want);
      expect(samples.map(({ value }) => value)).to.deep.equal(want.length === 0 ? [] : [1, 42]);
    });
  }

  it('labels both samples with how the run ended', () => {
    const end = finish(taskRun(), { status: 'failed', reason: 'TaskRunTimeout' });
    expect(samplesOf(end, settings, profiles.svc).map(({ labels }) => labels)).to.deep.equal([
      { status: 'failed', reason: 'TaskRunTimeout' },
      { task: 'build', status: 'failed', namespace: 'shop' },
    ]);
  });

  it('adds nothing for a step that finishes nothing', () => {
    expect(samplesOf(step(taskRun(), taskRun()), settings, profiles.svc)).to.deep.equal([]);
    expect(samplesOf(step(taskRun(), undefined), settings, profiles.svc)).to.deep.equal([]);
  });
});

describe('gaugesOf', () => {
  const { svc, tekton } = profiles;
  const quota = unknown('ExceededResourceQuota');
  const node = unknown('ExceededNodeResources');
  const done = { ...unknown('Succeeded'), status: 'True' } as const;
  const rows: readonly { what: string; run: Run | undefined; profile?: Profile; want: readonly string[] }[] = [
    { what: 'a running TaskRun', run: taskRun(), want: ['running_taskruns'] },
    {
      what: 'a TaskRun over quota',
      run: taskRun({ condition: quota }),
      want: ['running_taskruns', 'running_taskruns_throttled_by_quota'],
    },
    {
      what: 'a TaskRun without a node',
      run: taskRun({ condition: node }),
      want: ['running_taskruns', 'running_taskruns_throttled_by_node'],
    },
    { what: 'a parked TaskRun', run: taskRun({ condition: quota, parked: true }), want: [] },
    {
      what: 'a parked TaskRun where the profile lets it run',
      run: taskRun({ parked: true }),
      profile: tekton,
      want: ['running_taskruns'],
    },
    { what: 'a finished TaskRun', run: taskRun({ condition: done }), want: [] },
    { what: 'a TaskRun without a condition', run: taskRun({ condition: undefined }), want: [] },
    { what: 'a running PipelineRun', run: pipelineRun(), want: ['running_pipelineruns'] },
    { what: 'a PipelineRun over quota', run: pipelineRun({ condition: quota }), want: ['running_pipelineruns'] },
    { what: 'a CustomRun', run: taskRun({ kind: 'CustomRun' }), want: [] },
    { what: 'a deleted run', run: undefined, want: [] },
  ];

  for (const { what, run, profile = svc, want } of rows) {
    it(`counts ${what} in ${want.join(' and ') || 'nothing'}`, () => {
      expect(gaugesOf(run, settings, profile).map(({ metric }) => metric)).to.deep.equal(want);
    });
  }

  it('sees a difference in throttling, in parking and in the pipeline, and in nothing else', () => {
    const run = taskRun();
    const same = (fields: Partial<Run>) => sameGauges(run, { ...run, ...fields }, svc);
    expect(same({ resourceVersion: '2', condition: unknown('Pending') })).to.equal(true);
    expect(same({ condition: quota })).to.equal(false);
    expect(same({ parked: true })).to.equal(false);
    expect(same({ pipeline: 'other' })).to.equal(false);
  });
});
