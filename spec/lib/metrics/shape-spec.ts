import { expect } from 'chai';
import { catalogueRow, type MetricName } from '../../../lib/metrics/catalogue.ts';
import { defaultMetricsSettings, type MetricsSettings } from '../../../lib/metrics/settings.ts';
import { sameShape, shapeOf } from '../../../lib/metrics/shape.ts';
import { type Profile, profiles } from '../../../lib/profile.ts';

const shape = (metric: MetricName, given: Partial<MetricsSettings>, profile: Profile = profiles.svc) =>
  shapeOf(catalogueRow(metric), { ...defaultMetricsSettings, ...given }, profile);

describe('shapeOf', () => {
  const inPipeline = 'pipelinerun_taskrun_duration_seconds';
  const lasttask = { taskrunDurationType: 'lastvalue' } as const;
  const lastpipeline = { pipelinerunDurationType: 'lastvalue' } as const;
  const rows: readonly { metric: MetricName; given: Partial<MetricsSettings>; want: string }[] = [
    { metric: 'taskrun_duration_seconds', given: {}, want: 'histogram stays' },
    { metric: 'taskrun_duration_seconds', given: lasttask, want: 'gauge leaves' },
    { metric: 'taskrun_duration_seconds', given: lastpipeline, want: 'histogram stays' },
    { metric: 'taskrun_duration_seconds', given: { taskrunLevel: 'taskrun' }, want: 'gauge leaves overruled' },
    { metric: 'taskrun_duration_seconds', given: { taskrunLevel: 'taskrun', ...lasttask }, want: 'gauge leaves' },
    { metric: 'taskrun_duration_seconds', given: { pipelinerunLevel: 'pipelinerun' }, want: 'histogram stays' },
    { metric: 'pipelinerun_duration_seconds', given: lastpipeline, want: 'gauge leaves' },
    { metric: 'pipelinerun_duration_seconds', given: lasttask, want: 'histogram stays' },
    { metric: 'pipelinerun_duration_seconds', given: { taskrunLevel: 'taskrun' }, want: 'histogram stays' },
    {
      metric: 'pipelinerun_duration_seconds',
      given: { pipelinerunLevel: 'pipelinerun' },
      want: 'gauge leaves overruled',
    },
    { metric: inPipeline, given: lasttask, want: 'gauge leaves' },
    { metric: inPipeline, given: lastpipeline, want: 'histogram stays' },
    { metric: inPipeline, given: { pipelinerunLevel: 'pipelinerun' }, want: 'gauge leaves overruled' },
    { metric: inPipeline, given: { taskrunLevel: 'taskrun' }, want: 'gauge leaves overruled' },
    { metric: 'taskrun_total', given: { taskrunLevel: 'taskrun' }, want: 'counter stays' },
    { metric: 'running_pipelineruns', given: { runningPipelinerunLevel: 'pipelinerun' }, want: 'gauge stays' },
    { metric: 'client_latency', given: {}, want: 'histogram stays' },
  ];

  for (const { metric, given, want } of rows) {
    it(`makes ${metric} a ${want} under ${JSON.stringify(given)}`, () => {
      const { type, leaves, overruled } = shape(metric, given);
      expect(`${type} ${leaves ? 'leaves' : 'stays'}${overruled ? ' overruled' : ''}`).to.equal(want);
    });
  }

  it('keeps a histogram of single runs where the profile does, and lets its series leave', () => {
    const { type, leaves, overruled } = shape('taskrun_duration_seconds', { taskrunLevel: 'taskrun' }, profiles.tekton);
    expect({ type, leaves, overruled }).to.deep.equal({ type: 'histogram', leaves: true, overruled: false });
  });
});

describe('sameShape', () => {
  it('tells shapes apart by type and by labels only', () => {
    const before = shape('taskrun_duration_seconds', {});
    expect(sameShape(before, shape('taskrun_duration_seconds', { seriesLimit: 1 }))).to.equal(true);
    expect(sameShape(before, shape('taskrun_duration_seconds', { taskrunDurationType: 'lastvalue' }))).to.equal(false);
    expect(sameShape(before, shape('taskrun_duration_seconds', { countEnableReason: true }))).to.equal(false);
  });
});
