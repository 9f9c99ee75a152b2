import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Agent, request } from 'undici';
import { startProcess } from '../support/controller-process.ts';
import { type ForwardProxy, startForwardProxy } from '../support/forward-proxy.ts';
import { type KeyAndCert, selfSigned } from '../support/self-signed.ts';
import { type Seen, startTlsSink, type TlsSink } from '../support/tls-sink.ts';
import { startWorld, type World } from '../support/world.ts';

describe('5. Authentication', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'spec-authentication-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  function file(name: string, text: string): string {
    const path = join(folder, name);
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
    return path;
  }

  describe('of the controller to its sink', () => {
    const server = selfSigned('sink.test');
    const clients = [selfSigned('client-one'), selfSigned('client-two')] as const;
    let sink: TlsSink;
    let proxy: ForwardProxy;
    let world: World;
    /** Waits for the next request that this is true of. */
    let arrival: PromiseWithResolvers<Seen>;

    const pairFiles = ({ cert, key }: KeyAndCert) => [file('tls.crt', cert), file('tls.key', key)] as const;

    before(async () => {
      sink = await startTlsSink({ ...server, requestCert: true, ca: clients.map(({ cert }) => cert) });
      proxy = await startForwardProxy(sink.port);
      const [certFile, keyFile] = pairFiles(clients[0]);
      world = await startWorld({
        maps: { 'config-events': { sink: 'https://sink.test/runs?key=s3cr3t-url' } },
        args: [
          ...['--sink-authorization-file', file('authorization', 'Bearer s3cr3t-one\n')],
          ...['--sink-ca-file', file('ca.crt', server.cert)],
          ...['--sink-client-cert-file', certFile, '--sink-client-key-file', keyFile],
          ...['--sink-backoff-initial', '10ms', '--sink-backoff-max', '100ms', '--log-level', 'debug'],
        ],
        env: { HTTPS_PROXY: proxy.url.replace('//', '//proxy-user:s3cr3t-proxy@'), NO_PROXY: '127.0.0.1' },
      });
    });
    after(async () => {
      await world.close();
      await proxy.close();
      await sink.close();
    });

    /** The first request that is answered with 204 from now on, where the sink takes what this is true of. */
    async function acceptedOf(name: string, accepts: (seen: Seen) => boolean): Promise<Seen> {
      arrival = Promise.withResolvers();
      sink.answer = (seen) => {
        if (!accepts(seen)) return 401;
        arrival.resolve(seen);
        return 204;
      };
      const run = await world.create('TaskRun', name);
      await run.condition('Unknown/Running/');
      return arrival.promise;
    }

    it('is by header and client certificate, through the proxy', async () => {
      const seen = await acceptedOf('first', () => true);
      expect(seen).to.deep.equal({
        path: '/runs?key=s3cr3t-url',
        authorization: 'Bearer s3cr3t-one',
        host: 'sink.test',
        client: 'client-one',
      });
      const basic = Buffer.from('proxy-user:s3cr3t-proxy').toString('base64');
      expect(new Set(proxy.asked)).to.deep.equal(new Set([`CONNECT sink.test:443 Basic ${basic}`]));
    });

    it('goes on with a rotated header and certificate: what was refused is delivered', async () => {
      const arrived = acceptedOf('second', ({ authorization, client }) => {
        return authorization === 'Bearer s3cr3t-two' && client === 'client-two';
      });
      await world.scrapeUntil(/event_delivery_attempts_total\{result="4xx"\} [1-9]/);
      pairFiles(clients[1]);
      file('authorization', 'Bearer s3cr3t-two\n');
      expect(await arrived).to.include({ authorization: 'Bearer s3cr3t-two', client: 'client-two' });
    });

    it('leaves nothing of it in the log, on a page or in a metric', async () => {
      const pages = ['/', '/readyz?verbose', '/status'].map(async (path) => {
        const { body } = await request(`${world.healthUrl}${path}`);
        return body.text();
      });
      const texts = [JSON.stringify(world.controller.lines), await world.scrape(), ...(await Promise.all(pages))];
      for (const text of texts) expect(text).to.not.match(/s3cr3t|proxy-user|PRIVATE KEY|CERTIFICATE-----/);
    });
  });

  describe('of a scraper to the controller', () => {
    let world: World;
    let controller: ReturnType<typeof startProcess>;
    let url: string;
    const agent = new Agent({ connect: { rejectUnauthorized: false } });

    before(async () => {
      world = await startWorld();
      const namespace = await world.server.freshNamespace();
      const kubeconfigFile = world.server.kubeconfigOf?.(namespace) ?? world.server.kubeconfigFile;
      controller = startProcess([
        ...['--kubeconfig', kubeconfigFile, '--config-namespace', namespace, '--watch-namespace', namespace],
        ...['--metrics-port', '0', '--health-port', '0', '--profiling-port', '0', '--metrics-secure=true'],
      ]);
      const { metricsPort } = await controller.logged(({ msg }) => msg === 'listening');
      url = `https://127.0.0.1:${metricsPort}/metrics`;
    });
    after(async () => {
      await agent.destroy();
      await controller.stop();
      await world.close();
    });

    it('is not asked for by default', async () => {
      expect(await world.scrape()).to.include('svc_pipelines_controller_build_info{');
    });

    it('is asked for with metrics-secure: 401 without a token', async () => {
      const { statusCode, headers, body } = await request(url, { dispatcher: agent });
      expect(statusCode).to.equal(401);
      expect(headers['www-authenticate']).to.equal('Bearer');
      expect(await body.text()).to.equal('expected a bearer token that the API server knows, got none or another\n');
    });

    it('is left to the API server: a wrong token is let in by none, and by none that cannot be asked', async () => {
      const headers = { authorization: 'Bearer wrong' };
      const { statusCode, body } = await request(url, { dispatcher: agent, headers });
      // The sandbox has no reviews.
      expect(statusCode).to.equal(world.server.sandbox ? 503 : 401);
      expect(await body.text()).to.not.include('build_info');
    });
  });

  const wrong: readonly { what: string; args: () => readonly string[]; sentence: RegExp }[] = [
    {
      what: 'an Authorization file that is not there',
      args: () => ['--sink-authorization-file', '/nowhere/x'],
      sentence: /^--sink-authorization-file: expected a readable file at \/nowhere\/x, got ENOENT$/,
    },
    {
      what: 'authorities that are none',
      args: () => ['--sink-ca-file', file('not-pem', 's3cr3t')],
      sentence: /^--sink-ca-file: expected certificates in PEM, got something else$/,
    },
    {
      what: 'a certificate of its own that is not there',
      args: () => ['--metrics-secure', '--metrics-cert-file', '/nowhere/c', '--metrics-key-file', '/nowhere/k'],
      sentence: /^--metrics-cert-file: expected a readable file at \/nowhere\/c, got ENOENT$/,
    },
    {
      what: 'a client certificate without its key',
      args: () => ['--sink-client-cert-file', '/nowhere/c'],
      sentence: /^--sink-client-cert-file and --sink-client-key-file: expected both or neither/,
    },
  ];
  for (const { what, args, sentence } of wrong) {
    it(`a start with ${what} is answered by one sentence, exit 2`, async () => {
      const ports = ['--metrics-port', '0', '--health-port', '0', '--profiling-port', '0', '--sandbox-port', '0'];
      const { ended, lines } = startProcess(['--sandbox', ...ports, ...args()]);
      expect(await ended).to.equal(2);
      expect(lines.at(-1)?.msg).to.match(sentence);
    });
  }

  it('a proxy that is none is answered by one sentence without it, exit 2', async () => {
    const { ended, lines } = startProcess(['--sandbox', '--sandbox-port', '0'], { HTTPS_PROXY: 'ftp://s3cr3t@x' });
    expect(await ended).to.equal(2);
    expect(lines.at(-1)?.msg).to.equal(
      'HTTPS_PROXY: expected http://host:port or https://host:port, got something else',
    );
  });
});
