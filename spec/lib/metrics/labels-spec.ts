import { expect } from 'chai';
import { catalogueRow, type MetricName } from '../../../lib/metrics/catalogue.ts';
import { isRunLevel, labelsOf } from '../../../lib/metrics/labels.ts';
import { defaultMetricsSettings, type MetricsSettings } from '../../../lib/metrics/settings.ts';
import { profiles } from '../../../lib/profile.ts';
import { pipelineTaskRun } from './steps.ts';

describe('labels', () => {
  const inPipeline = 'pipelinerun_taskrun_duration_seconds';
  const rules: readonly { metric: MetricName; given: Partial<MetricsSettings>; want: string }[] = [
    { metric: 'taskrun_duration_seconds', given: {}, want: 'task,status,namespace' },
    { metric: 'taskrun_duration_seconds', given: { taskrunLevel: 'taskrun' }, want: 'task,taskrun,status,namespace' },
    { metric: 'taskrun_duration_seconds', given: { taskrunLevel: 'namespace' }, want: 'status,namespace' },
    { metric: 'taskrun_duration_seconds', given: { pipelinerunLevel: 'pipelinerun' }, want: 'task,status,namespace' },
    { metric: 'taskrun_duration_seconds', given: { countEnableReason: true }, want: 'task,status,namespace,reason' },
    { metric: 'pipelinerun_duration_seconds', given: {}, want: 'pipeline,status,namespace' },
    {
      metric: 'pipelinerun_duration_seconds',
      given: { pipelinerunLevel: 'pipelinerun', taskrunLevel: 'taskrun' },
      want: 'pipeline,pipelinerun,status,namespace',
    },
    { metric: 'pipelinerun_duration_seconds', given: { pipelinerunLevel: 'namespace' }, want: 'status,namespace' },
    { metric: inPipeline, given: {}, want: 'pipeline,task,status,namespace' },
    {
      metric: inPipeline,
      given: { taskrunLevel: 'taskrun', pipelinerunLevel: 'pipelinerun', countEnableReason: true },
      want: 'pipeline,pipelinerun,task,taskrun,status,namespace,reason',
    },
    {
      metric: inPipeline,
      given: { taskrunLevel: 'namespace', pipelinerunLevel: 'namespace' },
      want: 'status,namespace',
    },
    { metric: 'taskrun_total', given: { countEnableReason: false }, want: 'status,reason' },
    { metric: 'pipelinerun_total', given: { taskrunLevel: 'taskrun' }, want: 'status,reason' },
    { metric: 'running_taskruns', given: { throttleEnableNamespace: true }, want: '' },
    { metric: 'running_taskruns_throttled_by_quota', given: {}, want: '' },
    { metric: 'running_taskruns_throttled_by_node', given: { throttleEnableNamespace: true }, want: 'namespace' },
    { metric: 'running_pipelineruns', given: {}, want: '' },
    { metric: 'running_pipelineruns', given: { runningPipelinerunLevel: 'namespace' }, want: 'namespace' },
    { metric: 'running_pipelineruns', given: { runningPipelinerunLevel: 'pipeline' }, want: 'pipeline,namespace' },
    {
      metric: 'running_pipelineruns',
      given: { runningPipelinerunLevel: 'pipelinerun' },
      want: 'pipeline,pipelinerun,namespace',
    },
    { metric: 'client_latency', given: { countEnableReason: true }, want: '' },
  ];

  for (const { metric, given, want } of rules) {
    it(`gives ${metric} the labels "${want}" under ${JSON.stringify(given)}`, () => {
      const settings = { ...defaultMetricsSettings, ...given };
      expect(catalogueRow(metric).labels(settings, profiles.svc).join()).to.equal(want);
    });
  }

  it('leaves reason out of the totals where the profile does', () => {
    expect(catalogueRow('taskrun_total').labels(defaultMetricsSettings, profiles.tekton)).to.deep.equal(['status']);
  });

  it('takes each value from the run and from how it ended', () => {
    const names = ['pipeline', 'pipelinerun', 'task', 'taskrun', 'status', 'namespace', 'reason'] as const;
    const finished = { status: 'cancelled', reason: 'TaskRunCancelled', durationSeconds: 1 } as const;
    expect(labelsOf(names, pipelineTaskRun(), finished)).to.deep.equal({
      pipeline: 'release',
      pipelinerun: 'release-1',
      task: 'build',
      taskrun: 'build-1',
      status: 'cancelled',
      namespace: 'shop',
      reason: 'TaskRunCancelled',
    });
  });

  it('leaves status and reason empty while a run has not ended', () => {
    expect(labelsOf(['status', 'reason'], pipelineTaskRun())).to.deep.equal({ status: '', reason: '' });
  });

  it('calls labels that name single runs run-level', () => {
    expect(isRunLevel(['pipeline', 'pipelinerun'])).to.equal(true);
    expect(isRunLevel(['task', 'taskrun'])).to.equal(true);
    expect(isRunLevel(['pipeline', 'task', 'status', 'namespace', 'reason'])).to.equal(false);
  });
});
