import { expect } from 'chai';
import { profiles } from '../../../lib/profile.ts';
import type { ControllerProcess } from '../../support/controller-process.ts';
import { startSink } from '../../support/sink.ts';
import type { Cluster } from '../cluster.ts';
import { sharedCluster } from '../suite.ts';
import { until } from '../until.ts';
import { startInstalled } from './support/installed-controller.ts';
import { type Release, releaseIn } from './support/release.ts';

const forbidden = /api_requests_total\{.*code="403".*\}/;

describe('the controller with what the chart gives it', () => {
  const namespace = 'as-installed';
  const ask: Cluster['ask'] = (...request) => sharedCluster().ask(...request);
  let release: Release;
  let sink: Awaited<ReturnType<typeof startSink>>;
  let controller: ControllerProcess;
  let metricsUrl = '';

  const scrape = async () => (await fetch(metricsUrl)).text();

  before(async () => {
    sink = await startSink();
    release = await releaseIn(namespace);
    await release.upgrade({ watchNamespaces: [namespace], config: { events: { sink: sink.url } } });
    ({ controller, metricsUrl } = await startInstalled(namespace));
  });

  after(async () => {
    await controller.stop();
    await sink.close();
    await release.uninstall(['--no-hooks']);
  });

  it("tells of a run in every way, with no right but the chart's", async () => {
    const path = `/apis/${profiles.svc.apiGroup}/v1/namespaces/${namespace}/taskruns`;
    const run = { apiVersion: `${profiles.svc.apiGroup}/v1`, kind: 'TaskRun', metadata: { name: 'one' }, spec: {} };
    const { body } = await ask('POST', path, run);
    const status = { conditions: [{ type: 'Succeeded', status: 'True', reason: 'Succeeded' }] };
    await ask('PUT', `${path}/one/status`, { ...(body as object), status });

    await sink.first(({ headers }) => headers['ce-type'] === 'dev.svc.event.taskrun.successful.v1');
    await until(async () => /kubernetes_events_total\{outcome="written"\} [1-9]/.test(await scrape()), {
      what: 'a Kubernetes Event to be written',
    });
    const text = await scrape();

    expect(text).to.match(/taskrun_total\{.*status="success".*\} 1\n/);
    expect(text).to.contain('kubernetes_events_total{outcome="forbidden"} 0\n');
    expect(text).to.not.match(forbidden);
    await ask('DELETE', `${path}/one`);
  });

  it('keeps its last good settings', async () => {
    await release.edit('config-observability', { 'metrics.taskrun.level': 'namespace' });
    const lastGood = `/api/v1/namespaces/${namespace}/configmaps/svc-pipelines-controller-last-good`;

    await until(async () => JSON.stringify((await ask('GET', lastGood)).body).includes('metrics.taskrun.level'), {
      what: 'the last good settings to be kept',
    });
    expect(await scrape()).to.not.match(forbidden);
  });

  it('holds the Lease of the release', async () => {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/svc-pipelines-controller`;
    const { body } = await ask('GET', path);

    expect(body).to.have.nested.property('spec.holderIdentity').that.contains('spec-0');
  });
});
