import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { chartDir } from '../../../scripts/chart/generated.ts';
import { binaryOf } from '../../../scripts/cluster/tools.ts';
import { runCommand } from '../run-command.ts';
import { sharedCluster } from '../suite.ts';
import { playCleanupJob } from './support/cleanup-job.ts';
import { type Release, releaseIn } from './support/release.ts';

// No controller manager and no kubelet run here: objects are stored and nothing becomes of them.

/** Everything in a namespace, and everything cluster-wide that carries its name, but what every namespace has. */
async function objectsOf(namespace: string): Promise<readonly string[]> {
  const kubectl = async (args: readonly string[]) => {
    const flags = [`--kubeconfig=${sharedCluster().kubeconfigFile}`];
    return (await runCommand(binaryOf('kubectl'), [...flags, ...args])).stdout
      .split('\n')
      .filter((line) => line !== '');
  };
  const namespaced = (await kubectl(['api-resources', '--namespaced', '--verbs=list', '-o', 'name'])).filter(
    (name) => !name.startsWith('events'),
  );
  const own = await kubectl(['get', namespaced.join(','), '-n', namespace, '-o', 'name', '--ignore-not-found']);
  const wide = 'clusterroles,clusterrolebindings,validatingadmissionpolicies,validatingadmissionpolicybindings';
  const shared = await kubectl(['get', wide, '-o', 'name']);
  return [...own, ...shared.filter((name) => name.includes(namespace))];
}

/** The chart as it is, under another version: what may never change of an object must not depend on it. */
function chartOfVersion(version: string): string {
  const dir = join(sharedCluster().dir, `chart-${version}`);
  cpSync(chartDir, dir, { recursive: true });
  const file = join(dir, 'Chart.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/^((?:appV|v)ersion): .*$/gm, `$1: ${version}`));
  return dir;
}

async function uninstallCompletely(release: Release): Promise<readonly number[]> {
  const [answers] = await Promise.all([playCleanupJob(release.namespace), release.uninstall()]);
  return answers;
}

/** What the controller itself would have made by now. */
async function makeOwnObjects(namespace: string): Promise<void> {
  const { ask } = sharedCluster();
  const lease = { metadata: { name: 'svc-pipelines-controller' }, spec: { holderIdentity: 'pod' } };
  await ask('POST', `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`, lease);
  const map = { metadata: { name: 'svc-pipelines-controller-last-good' }, data: {} };
  await ask('POST', `/api/v1/namespaces/${namespace}/configmaps`, map);
}

describe('a release', () => {
  it('is installed, upgraded, rolled back and uninstalled, and leaves nothing', async () => {
    const release = await releaseIn('whole-life');
    const path = `/apis/apps/v1/namespaces/${release.namespace}/deployments/svc-pipelines-controller`;
    const replicas = async () =>
      ((await sharedCluster().ask('GET', path)).body as { readonly spec: { readonly replicas: number } }).spec.replicas;

    await release.upgrade();
    expect(await replicas()).to.equal(1);
    await release.upgrade({ replicaCount: 2 });
    expect(await replicas()).to.equal(2);
    await release.rollback(1);
    expect(await replicas()).to.equal(1);
    await makeOwnObjects(release.namespace);

    expect(await uninstallCompletely(release)).to.deep.equal([200, 200]);
    expect(await objectsOf(release.namespace)).to.deep.equal([]);
  });

  for (const persistence of [{ enabled: false }, { enabled: true }]) {
    it(`is upgraded from a chart of another version and rolled back to it, persistence ${persistence.enabled}`, async () => {
      const release = await releaseIn(`versions-${persistence.enabled ? 'disk' : 'memory'}`);
      const version = async () =>
        (await release.manifest()).match(/^ +helm\.sh\/chart: (.*)$/m)?.[1]?.replace('svc-pipelines-controller-', '');
      const before = chartOfVersion('0.0.9');

      await release.upgrade({ persistence }, before);
      expect(await version()).to.equal('0.0.9');
      await release.upgrade({ persistence });
      expect(await version()).to.not.equal('0.0.9');
      await release.rollback(1);
      expect(await version()).to.equal('0.0.9');

      await release.uninstall(['--no-hooks']);
    });
  }

  it('becomes a StatefulSet and a Deployment again', async () => {
    const release = await releaseIn('disk');
    const kinds = async () =>
      (await objectsOf(release.namespace)).filter((name) => /^(deployment|statefulset)\./.test(name));

    await release.upgrade();
    await release.upgrade({ persistence: { enabled: true } });
    expect(await kinds()).to.deep.equal(['statefulset.apps/svc-pipelines-controller']);
    await release.upgrade();
    expect(await kinds()).to.deep.equal(['deployment.apps/svc-pipelines-controller']);

    await release.uninstall(['--no-hooks']);
  });

  it('stands beside another in another namespace', async () => {
    const [one, two] = [await releaseIn('side-a'), await releaseIn('side-b')];
    await one.upgrade();
    await two.upgrade();

    await one.uninstall(['--no-hooks']);

    expect(await objectsOf(one.namespace)).to.deep.equal([]);
    expect(await two.dataOf('config-events')).to.have.keys('_example');
    await two.uninstall(['--no-hooks']);
  });
});

describe('the config maps of a release', () => {
  let release: Release;

  beforeEach(async () => {
    release = await releaseIn('maps');
    await release.upgrade({ config: { events: { sink: 'http://chart/' } } });
  });

  afterEach(() => release.uninstall(['--no-hooks']));

  const sink = async () => (await release.dataOf('config-events'))?.sink;

  it('keep an edit of a key that the chart never set', async () => {
    await release.edit('config-observability', { 'metrics.taskrun.level': 'namespace' });

    await release.upgrade({ config: { events: { sink: 'http://chart/' } }, logLevel: 'debug' });

    expect(await release.dataOf('config-observability')).to.include({ 'metrics.taskrun.level': 'namespace' });
  });

  it('keep an edit of a key that the chart set, upgrade after upgrade', async () => {
    for (const edited of ['http://edited/', 'http://edited-again/']) {
      await release.edit('config-events', { sink: edited });
      await release.upgrade({ config: { events: { sink: 'http://chart/' } } });
      expect(await sink()).to.equal(edited);
    }
  });

  it('keep a key away that somebody took out', async () => {
    await release.edit('config-events', { sink: null });

    await release.upgrade({ config: { events: { sink: 'http://chart/' } } });

    expect(await sink()).to.equal(undefined);
  });

  it('take a value that changes in the chart, edited or not', async () => {
    await release.edit('config-events', { sink: 'http://edited/' });

    await release.upgrade({ config: { events: { sink: 'http://chart-2/' } } });

    expect(await sink()).to.equal('http://chart-2/');
  });

  it('lose a key that the values no longer name', async () => {
    await release.upgrade();

    expect(await sink()).to.equal(undefined);
  });

  it('return to what they were by a rollback', async () => {
    await release.upgrade({ config: { events: { sink: 'http://chart-2/' } } });

    await release.rollback(1);

    expect(await sink()).to.equal('http://chart/');
  });
});

describe('the definitions of the three kinds', () => {
  it('stay when the release goes', async () => {
    const { ask } = sharedCluster();
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const names = ['taskruns', 'pipelineruns', 'customruns'].map((plural) => `${plural}.tekton.dev`);
    const release = await releaseIn('definitions');

    await release.upgrade({ profile: 'tekton', crds: { install: true } });
    await release.uninstall(['--no-hooks']);

    const left = await Promise.all(names.map((name) => ask('GET', `${path}/${name}`)));
    expect(left.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    // A definition that goes is still there for a moment.
    for (const { body } of left) expect(body).to.not.have.nested.property('metadata.deletionTimestamp');
    for (const name of names) await ask('DELETE', `${path}/${name}`);
  });
});
