import { expect } from 'chai';
import type { ObservabilitySettings } from '../../../config/settings.ts';
import { catalogue, catalogueRow } from '../../../lib/metrics/catalogue.ts';
import { defaultMetricsSettings, type MetricsSettings } from '../../../lib/metrics/settings.ts';

describe('catalogue', () => {
  it('holds the ten metrics of section 2.3, in its order', () => {
    const given = catalogue.map(({ name, type }) => `${name} ${type}`);
    expect(given).to.deep.equal([
      'pipelinerun_duration_seconds duration',
      'pipelinerun_taskrun_duration_seconds duration',
      'pipelinerun_total counter',
      'running_pipelineruns gauge',
      'taskrun_duration_seconds duration',
      'taskrun_total counter',
      'running_taskruns gauge',
      'running_taskruns_throttled_by_quota gauge',
      'running_taskruns_throttled_by_node gauge',
      'client_latency histogram',
    ]);
  });

  it('measures runs from ten seconds to a day and requests from 1 ms to 30 s', () => {
    const runs = [10, 30, 60, 300, 900, 1800, 3600, 5400, 10800, 21600, 43200, 86400];
    const durations = catalogue.filter(({ type }) => type === 'duration').map(({ name }) => catalogueRow(name).buckets);
    const latency = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000];
    expect(durations).to.deep.equal([runs, runs, runs]);
    expect(catalogueRow('client_latency').buckets).to.deep.equal(latency);
  });

  it('throws on a name that it does not hold', () => {
    const unheard = 'taskruns' as 'taskrun_total';
    expect(() => catalogueRow(unheard)).to.throw('metric: expected a name of the catalogue, got "taskruns"');
  });

  it('is shaped by what config-observability says', () => {
    // Compiles only while the settings of the config map are settings of the metrics.
    const read = (settings: ObservabilitySettings): MetricsSettings => settings;
    expect(read).to.be.a('function');
    expect(defaultMetricsSettings.seriesLimit).to.equal(10_000);
  });
});
