import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { startProxy } from '../../faults/servers/proxy.ts';
import { profiles } from '../../lib/profile.ts';
import { createRun } from '../support/run-on-server.ts';
import { sampleValue } from '../support/scrape.ts';
import type { World } from '../support/world.ts';
import { liveThrough, losses, lostNothing, mightyToken, worldOn } from './api-server-stage.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { type Crd, crds } from './crds.ts';
import { kubeconfig } from './kubeconfig.ts';
import { createNamespace } from './requests.ts';
import { until } from './until.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const lacks = 'the API server does not have the resource, it is looked for';
const hasNow = 'the API server has the resource now';

type Version = Readonly<Record<string, unknown>> & { readonly name: string };

describe('resources that come and go', () => {
  let cluster: Cluster;
  let world: World;
  const definitionOf = (plural: string): Crd => {
    const found = crds(profiles.svc).find(({ metadata }) => metadata.name.startsWith(`${plural}.`));
    if (found === undefined) throw new Error(`${plural}: expected a definition, found none`);
    return found;
  };
  const path = (plural: string) => `${definitions}/${definitionOf(plural).metadata.name}`;
  const lists = async (plural: string) => (await cluster.ask('GET', definitionOf(plural).listPath)).status;

  async function uninstall(plural: string): Promise<void> {
    await cluster.ask('DELETE', path(plural));
    await until(async () => (await lists(plural)) === 404, { what: `${plural} to be gone` });
  }

  async function install(plural: string): Promise<void> {
    const { listPath: _, ...definition } = definitionOf(plural);
    await cluster.ask('POST', definitions, definition);
    await until(async () => (await lists(plural)) === 200, { what: `${plural} to be listed` });
  }

  /** Changes what versions a definition has. */
  async function serve(plural: string, change: (versions: readonly Version[]) => readonly Version[]): Promise<void> {
    const { body } = await cluster.ask('GET', path(plural));
    const { spec, ...rest } = body as { readonly spec: { readonly versions: readonly Version[] } };
    const changed = { ...rest, spec: { ...spec, versions: change(spec.versions) } };
    const { status, body: answer } = await cluster.ask('PUT', path(plural), changed);
    if (status !== 200) throw new Error(`${plural}: expected 200, got ${status} ${JSON.stringify(answer)}`);
  }

  before(async () => {
    cluster = await startCluster();
  });

  afterEach(() => world.close());

  after(() => cluster.stop());

  it('a CRD that is deleted and one that never was stop nothing else, and both are picked up', async () => {
    await uninstall('customruns');
    world = await worldOn(cluster, { maps: { 'feature-flags': { 'send-cloudevents-for-runs': 'true' } } });
    const { logged } = world.controller;
    const says = (msg: string, resource: string) => logged((line) => line.msg === msg && line.resource === resource);
    await says(lacks, 'customruns');
    const running = await world.create('TaskRun', 'gone-with-its-kind');
    await running.condition('Unknown/Running/');
    await running.told('running');

    await uninstall('taskruns');
    await says(lacks, 'taskruns');
    const away = await world.scrape();
    await world.finish('PipelineRun', 'meanwhile');
    await Promise.all([install('taskruns'), install('customruns')]);
    await Promise.all([says(hasNow, 'taskruns'), says(hasNow, 'customruns')]);
    await liveThrough(world, 'of-a-new-kind');
    await world.finish('CustomRun', 'custom');

    expect(sampleValue(away, 'resource_available{resource="taskruns"}')).to.equal(0);
    expect(sampleValue(away, 'running_taskruns')).to.equal(0);
    expect(sampleValue(away, 'resource_synced{resource="pipelineruns"}')).to.equal(1);
    expect(await losses(world, 'of-a-new-kind')).to.deep.equal(lostNothing);
  });

  it('a new version is gone over to when the old one is served no more, without a word twice', async () => {
    const proxy = await startProxy(Number(new URL(cluster.url).port));
    const address = { server: `https://127.0.0.1:${proxy.port}`, caFile: cluster.caFile };
    const kubeconfigFile = join(cluster.dir, 'kubeconfig-proxy');
    writeFileSync(kubeconfigFile, kubeconfig({ ...address, token: await mightyToken(cluster, 'proxied') }));
    world = await worldOn(cluster, { kubeconfigFile });
    const { namespace, sink, server } = world;
    const source = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) => `${headers['ce-source']}`;

    await serve('taskruns', ([v1, ...rest]) => (v1 ? [v1, { ...v1, name: 'v2', storage: false }, ...rest] : rest));
    await liveThrough(world, 'of-two-versions');
    const run = await world.create('TaskRun', 'of-the-old');
    await run.condition('Unknown/Running/');
    await run.told('running');
    await serve('taskruns', (versions) => versions.map((one) => ({ ...one, served: one.name === 'v2' })));
    const v2 = `/apis/svc.dev/v2/namespaces/${namespace}/taskruns`;
    await until(async () => (await server.request('GET', v2)).status === 200, { what: 'v2 to be listed' });
    await until(async () => (await lists('taskruns')) === 404, { what: 'v1 to be gone' });
    // A watch that is open goes on in the old version; none that is opened does.
    proxy.cut();
    const status = { conditions: [{ type: 'Succeeded', status: 'True', reason: 'Succeeded' }] };
    const contentType = 'application/merge-patch+json';
    await server.request('PATCH', `${v2}/of-the-old/status`, { body: { status }, contentType });
    const last = await run.told('successful');

    expect(source(last)).to.equal(`${v2}/of-the-old`);
    expect(last.body).to.have.nested.property('taskRun.apiVersion', 'svc.dev/v2');
    expect(await losses(world, 'of-two-versions')).to.deep.equal(lostNothing);
    expect(sink.typesOf('of-the-old')).to.deep.equal(lostNothing.types.filter((type) => !type.includes('unknown')));
    await serve('taskruns', (versions) => versions.map((one) => ({ ...one, served: one.name === 'v1' })));
    await until(async () => (await lists('taskruns')) === 200, { what: 'v1 to be back' });
    await world.controller.stop();
    await proxy.close();
  });

  // The suite plays the namespace controller: it deletes what is in the namespace and takes off the finalizer.
  it('a namespace that is deleted takes its runs along: told to the end, then counted and remembered no more', async () => {
    world = await worldOn(cluster, { args: ['--watch-namespace', ''] });
    await createNamespace(cluster, 'doomed');
    const there = { server: world.server, namespace: 'doomed', sink: world.sink };
    const [ending, running] = [
      await createRun(there, { kind: 'TaskRun', name: 'ending', more: {} }),
      await createRun(there, { kind: 'TaskRun', name: 'running', more: {} }),
    ];
    for (const run of [ending, running]) await run.condition('Unknown/Running/');
    await world.scrapeUntil((text) => sampleValue(text, 'running_taskruns') === 2);

    const { body: namespace } = await cluster.ask('DELETE', '/api/v1/namespaces/doomed');
    await ending.condition('True/Succeeded/');
    await ending.told('successful');
    const { problem } = await world.controller.logged(({ msg }) => msg === 'the API server forbids Kubernetes Events');
    const before = sampleValue(await world.scrape(), 'retained_runs{resource="taskruns"}') ?? 0;
    for (const run of [ending, running]) await run.remove();
    await cluster.ask('PUT', '/api/v1/namespaces/doomed/finalize', { ...(namespace as object), spec: {} });
    await until(async () => (await cluster.ask('GET', '/api/v1/namespaces/doomed')).status === 404, {
      what: 'the namespace to be gone',
    });
    const text = await world.scrapeUntil((one) => sampleValue(one, 'running_taskruns') === 0);

    expect(problem).to.match(/^the API server forbids create of events in namespace "doomed"; it said: .*terminated/);
    expect(sampleValue(text, 'retained_runs{resource="taskruns"}')).to.equal(before - 2);
    expect(sampleValue(text, 'resource_synced{resource="taskruns"}')).to.equal(1);
    await world.finish('TaskRun', 'elsewhere');
  });
});
