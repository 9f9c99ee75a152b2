import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { compareVersions } from '../../lib/kube/version.ts';
import { startProcess } from '../support/controller-process.ts';
import type { RunOnServer } from '../support/run-on-server.ts';
import { sampleValue } from '../support/scrape.ts';
import { argsFor, type World } from '../support/world.ts';
import {
  kubeconfigWithTokenFile,
  life,
  liveThrough,
  losses,
  lostNothing,
  mightyToken,
  quickly,
  serverOf,
  worldOn,
} from './api-server-stage.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { refuseAll } from './refuse-all.ts';
import { until } from './until.ts';

describe('bad days of an API server', () => {
  let cluster: Cluster;
  let world: World;

  before(async () => {
    cluster = await startCluster();
  });

  afterEach(() => world.close());

  after(() => cluster.stop());

  for (const restart of ['restartApiServer', 'restartEtcd'] as const) {
    it(`${restart}: loses nothing, tells nothing twice, and says when it is over`, async () => {
      world = await worldOn(cluster);

      await liveThrough(world, 'restarted', () => cluster[restart]('SIGKILL'));

      expect(await losses(world, 'restarted')).to.deep.equal(lostNothing);
      if (restart === 'restartApiServer') await world.controller.logged(({ msg }) => msg === 'the watch is back');
    });
  }

  it('answers 429 to everything by priority and fairness: waits, stops telling, and goes on with all of it', async () => {
    const token = await mightyToken(cluster, 'unfair');
    world = await worldOn(cluster, { kubeconfigFile: cluster.kubeconfigFor(token) });
    const { controller, healthUrl, sink } = world;

    await liveThrough(world, 'throttled', async () => {
      const relent = await refuseAll(cluster, { account: 'unfair', token });
      const { problem } = await controller.logged(({ msg }) => msg === 'the lease cannot be read or written');
      await controller.logged(({ role }) => role === 'lapsed');
      const meanwhile = await world.create('TaskRun', 'meanwhile');
      await meanwhile.condition('Unknown/Running/');
      expect((await fetch(`${healthUrl}/healthz`)).status).to.equal(200);
      expect(sink.typesOf('meanwhile')).to.deep.equal([]);
      await relent();
      expect(problem).to.match(/^the API server is too busy \(429\) for \w+ of leases/);
      await meanwhile.condition('Unknown/Pending/');
      await meanwhile.condition('True/Succeeded/');
      await meanwhile.told('successful');
    });

    for (const name of ['throttled', 'meanwhile']) expect(await losses(world, name)).to.deep.equal(lostNothing);
    expect(await world.scrape()).to.match(/api_requests_total\{verb="update",code="429"\} [1-9]/);
  });

  it('has another certificate: trusts it once it stands in the CA file', async () => {
    world = await worldOn(cluster);
    const { namespace, sink } = world;
    await liveThrough(world, 'before-the-swap');

    await cluster.swapCertificate();
    const server = serverOf(cluster);
    const lived = await liveThrough({ server, namespace, sink }, 'after-the-swap');
    await server.close();

    expect(await losses(world, lived.name)).to.deep.equal(lostNothing);
  });

  it('revokes a token that was rotated: the new one is read from its file at the first 401', async () => {
    const tokenFile = join(cluster.dir, 'token');
    await mightyToken(cluster, 'rotated');
    const [first, second] = [await boundToken(cluster, 'first'), await boundToken(cluster, 'second')];
    writeFileSync(tokenFile, first.token);
    world = await worldOn(cluster, { kubeconfigFile: kubeconfigWithTokenFile(cluster, tokenFile) });

    await liveThrough(world, 'rotated', async () => {
      writeFileSync(tokenFile, second.token);
      await first.revoke();
      await world.scrapeUntil(/api_requests_total\{verb="(get|update)",code="401"\} [1-9]/);
    });

    expect(await losses(world, 'rotated')).to.deep.equal(lostNothing);
    expect(world.controller.lines.filter(({ problem }) => problem !== undefined)).to.deep.equal([]);
  });

  it('was restored to an older snapshot: what happens in its second past is told too, also after a restart', async () => {
    world = await worldOn(cluster);
    const { server, namespace, sink } = world;
    await liveThrough(world, 'kept');
    const restore = await cluster.saveStorage();
    await liveThrough(world, 'undone');
    const running = await world.create('TaskRun', 'undone-while-running');
    await running.condition('Unknown/Running/');
    await running.told('running');

    await restore();
    await liveThrough(world, 'second-past');

    expect(await losses(world, 'second-past')).to.deep.equal(lostNothing);
    expect(sampleValue(await world.scrape(), 'running_taskruns')).to.equal(0);
    await world.controller.stop();
    const meanwhile = await world.create('TaskRun', 'while-nobody-watched');
    await meanwhile.condition('True/Succeeded/');
    const next = startProcess([...argsFor(server, namespace)]);
    await meanwhile.told('successful');
    expect(await next.stop()).to.equal(0);
    expect(sink.typesOf('kept')).to.deep.equal(lostNothing.types);
  });

  it('was restored to an older snapshot, and its second past has come further than the first when we see it', async () => {
    world = await worldOn(cluster);
    const { controller } = world;
    const restore = await cluster.saveStorage();
    const undone = await liveThrough(world, 'seen-and-undone');
    const seen = await undone.condition('True/Succeeded/again');
    await world.scrapeUntil((text) => sampleValue(text, 'taskrun_total{status="success",reason="Succeeded"}') === 1);

    controller.child.kill('SIGSTOP');
    await restore();
    const run = await liveUnseen(world, 'behind-our-back', seen);
    controller.child.kill('SIGCONT');

    await run.told('successful');
    expect(await losses(world, 'behind-our-back')).to.deep.equal(lostNothing);
    await world.scrapeUntil((text) => sampleValue(text, 'taskrun_total{status="success",reason="Succeeded"}') === 2);
  });

  it('was restored while nobody led: a data dir that knows the past that was undone does not hide the second', async () => {
    const dir = join(cluster.dir, 'data');
    world = await worldOn(cluster, { args: ['--data-dir', dir] });
    const { controller, server, namespace } = world;
    await controller.logged(({ msg }) => msg.startsWith('the baseline is written'));
    const restore = await cluster.saveStorage();
    const undone = await liveThrough(world, 'told-and-undone');
    await controller.stop();
    const seen = await undone.condition('True/Succeeded/again');

    await restore();
    const run = await liveUnseen(world, 'while-we-were-away', seen);
    const next = startProcess([...argsFor(server, namespace), ...quickly, '--data-dir', dir]);

    await run.told('successful');
    expect(world.sink.typesOf('while-we-were-away')).to.deep.equal(lostNothing.types);
    await next.logged(
      ({ msg }) => msg === 'the API server was put back to an earlier state, everything is listed again',
    );
    expect(await next.stop()).to.equal(0);
  });
});

/** A new run's whole life, and then as many writes as it takes to get past a version. */
async function liveUnseen(world: World, name: string, version: string): Promise<RunOnServer> {
  const run = await world.create('TaskRun', name);
  for (const condition of life) await run.condition(condition);
  for (let [turn, present] = [0, '0']; compareVersions(present, version) <= 0; turn += 1) {
    present = await run.patch({ metadata: { annotations: { turn: String(turn) } } });
  }
  return run;
}

/** A token of the account `rotated` that lives as long as a secret of this name. */
async function boundToken({ ask }: Cluster, name: string) {
  const { body: secret } = await ask('POST', '/api/v1/namespaces/default/secrets', { metadata: { name } });
  const { uid } = (secret as { readonly metadata: { readonly uid: string } }).metadata;
  const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name, uid };
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { boundObjectRef } };
  const { body } = await ask('POST', '/api/v1/namespaces/default/serviceaccounts/rotated/token', review);
  const { token } = (body as { readonly status: { readonly token: string } }).status;
  return {
    token,
    async revoke() {
      await ask('DELETE', `/api/v1/namespaces/default/secrets/${name}`);
      const status = async () => (await ask('GET', '/api/v1/namespaces', undefined, token)).status;
      // The server remembers for ten seconds that a token was good.
      await until(async () => (await status()) === 401, { what: 'the old token to be refused' });
    },
  };
}
