import { expect } from 'chai';
import { svc } from '../support/runs.ts';
import { startWorld, type World } from '../support/world.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';
import { until } from './until.ts';

/** What Prometheus answers to `query_exemplars`: a series, and its exemplars. */
interface Found {
  readonly seriesLabels: Readonly<Record<string, string>>;
  readonly exemplars: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: string }[];
}

describe('exemplars in a real Prometheus', () => {
  let world: World;
  let prometheus: Prometheus;
  before(async () => {
    world = await startWorld({ maps: { 'config-observability': { 'tracing-protocol': 'stdout' } } });
    const target = new URL(world.metricsUrl).host;
    prometheus = await startPrometheus({ target, targetLabels: {}, honorLabels: true, rules: { groups: [] } });
  });
  after(async () => {
    await prometheus?.stop();
    await world.close();
  });

  /** The exemplars of a duration's buckets, one at least; since it asks for OpenMetrics, Prometheus gets them. */
  async function exemplarsOf(metric: string): Promise<readonly Found[]> {
    const query = new URLSearchParams({ query: `${svc.metricPrefix}${metric}_bucket`, start: '0', end: '9999999999' });
    let found: readonly Found[] = [];
    const ask = async () => {
      found = (await prometheus.ask(`query_exemplars?${query}`)) as readonly Found[];
      return found.length > 0;
    };
    await until(ask, { what: `exemplars of ${metric}` });
    return found;
  }

  const inRelease = { metadata: { labels: { [svc.labels.pipeline]: 'release', [svc.labels.pipelineRun]: 'r-1' } } };
  const rows = [
    { metric: 'taskrun_duration_seconds', kind: 'TaskRun', more: {} },
    { metric: 'pipelinerun_taskrun_duration_seconds', kind: 'TaskRun', more: inRelease },
    { metric: 'pipelinerun_duration_seconds', kind: 'PipelineRun', more: {} },
  ] as const;

  for (const [index, { metric, kind, more }] of rows.entries()) {
    it(`${metric} leads from a bucket to the span of a run in it`, async () => {
      const run = await world.finish(kind, `exemplary-${index}`, { seconds: 42, more });
      const [, trace_id, span_id] = String((await run.told('successful')).headers['ce-traceparent']).split('-');
      const [{ seriesLabels, exemplars } = { seriesLabels: {}, exemplars: [] }] = await exemplarsOf(metric);
      expect(seriesLabels.le).to.equal('60.0');
      expect(exemplars.map(({ labels, value }) => ({ labels, value }))).to.deep.equal([
        { labels: { trace_id, span_id }, value: '42' },
      ]);
    });
  }
});
