import { createPrivateKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Agent, request } from 'undici';
import { type ControllerProcess, startProcess } from '../support/controller-process.ts';
import { installChart } from './chart-rights.ts';
import { createNamespace } from './requests.ts';
import { sharedCluster } from './suite.ts';
import { until } from './until.ts';

const namespace = 'secure-metrics';
const role = `svc-pipelines-controller-${namespace}-metrics-reader`;

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A token of the cluster's own making with other times, signed as the API server signs. */
function resigned(token: string, times: Readonly<Record<string, number>>): string {
  const [head = '', payload = ''] = token.split('.');
  const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), ...times };
  const body = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  const key = createPrivateKey(readFileSync(join(sharedCluster().dir, 'service-account.key'), 'utf8'));
  return `${body}.${sign('sha256', Buffer.from(body), key).toString('base64url')}`;
}

describe('secure metrics against a real API server', () => {
  let controller: ControllerProcess;
  let agent: Agent;
  let url: string;

  before(async () => {
    await createNamespace(sharedCluster(), namespace);
    const kubeconfigFile = await installChart(namespace);
    controller = startProcess([
      ...['--kubeconfig', kubeconfigFile, '--config-namespace', namespace, '--watch-namespace', namespace],
      ...['--metrics-port', '0', '--health-port', '0', '--profiling-port', '0', '--metrics-secure'],
    ]);
    const { metricsPort } = await controller.logged(({ msg }) => msg === 'listening');
    await controller.logged(({ msg }) => msg === 'synced');
    url = `https://127.0.0.1:${metricsPort}/metrics`;
    agent = new Agent({ connect: { rejectUnauthorized: false } });
    const { status } = await sharedCluster().ask('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'secure-metrics-scraper' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [
        { kind: 'ServiceAccount', namespace, name: 'scraper' },
        { kind: 'ServiceAccount', namespace, name: 'short-lived' },
      ],
    });
    expect(status).to.equal(201);
  });

  after(async () => {
    await agent.destroy();
    expect(await controller.stop()).to.equal(0);
  });

  async function scrape(token?: string): Promise<Answer> {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const { statusCode, body } = await request(url, { dispatcher: agent, headers });
    return { status: statusCode, text: await body.text() };
  }

  const tokenOf = (name: string) => sharedCluster().tokenFor({ namespace, name });
  const unknown = { status: 401, text: 'expected a bearer token that the API server knows, got none or another\n' };

  it('are for an account that the chart says may read them', async () => {
    const { status, text } = await scrape(await tokenOf('scraper'));
    expect(status).to.equal(200);
    expect(text).to.match(/^svc_pipelines_controller_build_info\{/m);
  });

  it("are not for somebody without a token, nor for a token that is nobody's", async () => {
    expect(await scrape()).to.deep.equal(unknown);
    expect(await scrape('nobody')).to.deep.equal(unknown);
  });

  it('are not for an account without the right, which is told what it lacks', async () => {
    expect(await scrape(await tokenOf('stranger'))).to.deep.equal({
      status: 403,
      text: `"system:serviceaccount:${namespace}:stranger" may not read metrics: RBAC lacks verb "get" on the non-resource URL "/metrics"\n`,
    });
  });

  it("are not for the controller's own account", async () => {
    expect(await scrape(await tokenOf('svc-pipelines-controller'))).to.have.property('status', 403);
  });

  it('are not for a token that has expired, while the same with later times is good', async () => {
    const token = await tokenOf('scraper');
    const seconds = Math.floor(Date.now() / 1000);
    const times = (exp: number) => ({ iat: seconds - 7200, nbf: seconds - 7200, exp });
    expect(await scrape(resigned(token, times(seconds - 3600)))).to.deep.equal(unknown);
    expect(await scrape(resigned(token, times(seconds + 3600)))).to.have.property('status', 200);
  });

  it('are not for a token signed by somebody else', async () => {
    const [head, payload, signature = ''] = (await tokenOf('scraper')).split('.');
    const forged = [head, payload, [...signature].toReversed().join('')].join('.');
    expect(await scrape(forged)).to.deep.equal(unknown);
  });

  it('are not for a token made for another audience', async () => {
    const { ask } = sharedCluster();
    const { body } = await ask('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/scraper/token`, {
      spec: { audiences: ['vault'], expirationSeconds: 3600 },
    });
    const { token } = (body as { readonly status: { readonly token: string } }).status;
    expect(await scrape(token)).to.deep.equal(unknown);
  });

  it('are not for the token of an account that was deleted', async () => {
    const { ask } = sharedCluster();
    const token = await tokenOf('short-lived');
    await ask('DELETE', `/api/v1/namespaces/${namespace}/serviceaccounts/short-lived`);
    const taken = async () => (await ask('GET', '/api/v1/nodes', undefined, token)).status === 401;
    await until(taken, { what: 'the API server to know the token no longer' });
    expect(await scrape(token)).to.deep.equal(unknown);
  });

  it('are for whoever is known while the API server is away, and for nobody else until it is back', async () => {
    const known = await tokenOf('scraper');
    const other = await tokenOf('scraper');
    expect(await scrape(known)).to.have.property('status', 200);
    await sharedCluster().stopApiServer('SIGKILL');
    try {
      expect(await scrape(known)).to.have.property('status', 200);
      expect(await scrape(other)).to.deep.equal({
        status: 503,
        text: 'the API server cannot be asked who may read metrics (unreachable)\n',
      });
    } finally {
      await sharedCluster().startApiServer();
    }
    await until(async () => (await scrape(other)).status === 200, { what: 'the token to be known again' });
    const about = controller.lines.filter(({ msg }) => /who may read metrics$/.test(msg)).map(({ msg }) => msg);
    expect(about).to.deep.equal([
      'the API server cannot be asked who may read metrics',
      'the API server can be asked again who may read metrics',
    ]);
  });

  it('leave no token in the log', async () => {
    await scrape('s3cr3t-token');
    expect(JSON.stringify(controller.lines)).to.not.match(/s3cr3t|eyJ/);
  });

  it('count who came', async () => {
    const { text } = await scrape(await tokenOf('scraper'));
    const counted = (outcome: string) =>
      Number(new RegExp(`scrape_admissions_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1]);
    for (const outcome of ['allowed', 'unauthenticated', 'forbidden', 'unavailable']) {
      expect(counted(outcome), outcome).to.be.greaterThan(0);
    }
    expect(counted('busy')).to.equal(0);
  });
});
