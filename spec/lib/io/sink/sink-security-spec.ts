import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Attempt } from '../../../../lib/events/outgoing.ts';
import { createSink, type Sink } from '../../../../lib/io/sink/create-sink.ts';
import { readProxies } from '../../../../lib/io/sink/read-proxies.ts';
import { type SinkFiles, sinkCredentials } from '../../../../lib/io/sink/sink-credentials.ts';
import { type ForwardProxy, startForwardProxy } from '../../../support/forward-proxy.ts';
import { outgoing } from '../../../support/outgoing.ts';
import { recordedLog } from '../../../support/recorded-log.ts';
import { recordedMeasure } from '../../../support/recorded-measure.ts';
import { selfSigned } from '../../../support/self-signed.ts';
import { answering, type Sink as Receiver, startSink } from '../../../support/sink.ts';
import { startTlsSink, type TlsSink } from '../../../support/tls-sink.ts';

const never = new AbortController().signal;
const delivered: Attempt = { outcome: 'delivered', status: 204 };
const hourMs = 3_600_000;

function resultOf(attempt: Attempt): string {
  return attempt.outcome === 'failed' ? attempt.result : attempt.outcome;
}

describe("a sink's security", () => {
  let folder: string;
  let written = 0;
  let nowMs: number;
  let log: ReturnType<typeof recordedLog>;
  let measure: ReturnType<typeof recordedMeasure>;
  const closers: (() => unknown)[] = [];

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'spec-sink-security-'));
  });
  after(() => rmSync(folder, { recursive: true }));
  beforeEach(() => {
    nowMs = 0;
    log = recordedLog();
    measure = recordedMeasure();
  });
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });

  /** Writes a file, anew or over the one before; its path. */
  function file(text: string, path = join(folder, `file-${written}`)): string {
    written += 1;
    // Renamed into place, so that it is another inode also within one tick of the clock.
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
    return path;
  }

  function sinkWith(files: SinkFiles, env: Readonly<Record<string, string>> = {}): Sink {
    const credentials = sinkCredentials(files, { measure, log, now: () => nowMs });
    const sink = createSink({ measure, log, credentials, proxyOf: readProxies(env) });
    closers.push(() => sink.close());
    return sink;
  }

  /** Lets files be looked at again. */
  const later = () => {
    nowMs += 1_000;
  };

  describe('Authorization', () => {
    let receiver: Receiver;
    beforeEach(async () => {
      receiver = await startSink();
      closers.push(() => receiver.close());
    });
    const sent = () => receiver.received.map(({ headers }) => headers.authorization);

    it('is the text of the file, trimmed', async () => {
      const sink = sinkWith({ sinkAuthorizationFile: file('  Bearer first\n') });
      expect(await sink.post(outgoing(), receiver.url, never)).to.deep.equal(delivered);
      expect(sent()).to.deep.equal(['Bearer first']);
    });

    it('outranks what the URL says', async () => {
      const sink = sinkWith({ sinkAuthorizationFile: file('Bearer first') });
      await sink.post(outgoing(), receiver.url.replace('http://', 'http://user:word@'), never);
      expect(sent()).to.deep.equal(['Bearer first']);
    });

    it('changes with the file, within a second', async () => {
      const path = file('Bearer first');
      const sink = sinkWith({ sinkAuthorizationFile: path });
      await sink.post(outgoing(), receiver.url, never);
      file('Bearer second', path);
      await sink.post(outgoing(), receiver.url, never);
      later();
      await sink.post(outgoing(), receiver.url, never);
      expect(sent()).to.deep.equal(['Bearer first', 'Bearer first', 'Bearer second']);
      expect(measure.counts.get('credential_reads_total{credential="sink-authorization",outcome="applied"}')).to.equal(
        1,
      );
    });

    it('changes with a mounted Secret, whose files are links into a folder that is swapped', async () => {
      const folders = ['one', 'two'].map((name) => mkdtempSync(join(folder, name)));
      for (const [index, at] of folders.entries()) writeFileSync(join(at, 'authorization'), `Bearer ${index}`);
      const mount = mkdtempSync(join(folder, 'mount'));
      const [one = '', two = ''] = folders;
      symlinkSync(one, join(mount, '..data'));
      symlinkSync(join('..data', 'authorization'), join(mount, 'authorization'));
      const sink = sinkWith({ sinkAuthorizationFile: join(mount, 'authorization') });
      await sink.post(outgoing(), receiver.url, never);
      symlinkSync(two, join(mount, '..data_tmp'));
      renameSync(join(mount, '..data_tmp'), join(mount, '..data'));
      later();
      await sink.post(outgoing(), receiver.url, never);
      expect(sent()).to.deep.equal(['Bearer 0', 'Bearer 1']);
    });

    it('is read at once after a 401, and the event sent once more with what is new', async () => {
      const path = file('Bearer expired');
      const sink = sinkWith({ sinkAuthorizationFile: path });
      receiver.answer = ({ headers }, response) =>
        void response.writeHead(headers.authorization === 'Bearer fresh' ? 204 : 401).end();
      file('Bearer fresh', path);
      expect(await sink.post(outgoing(), receiver.url, never)).to.deep.equal(delivered);
      expect(sent()).to.deep.equal(['Bearer expired', 'Bearer fresh']);
      expect(measure.counts.get('event_delivery_attempts_total{result="4xx"}')).to.equal(1);
    });

    it('that is refused and has not changed is a failed attempt of one request', async () => {
      receiver.answer = answering(401);
      const sink = sinkWith({ sinkAuthorizationFile: file('Bearer wrong') });
      expect(await sink.post(outgoing(), receiver.url, never)).to.deep.include({
        result: '4xx',
        problem: 'answered 401',
      });
      expect(sent()).to.deep.equal(['Bearer wrong']);
    });

    it('of a URL that is refused is not looked for in any file', async () => {
      receiver.answer = answering(401);
      const attempt = await sinkWith({}).post(outgoing(), receiver.url.replace('http://', 'http://u:p@'), never);
      expect(resultOf(attempt)).to.equal('4xx');
      expect(receiver.received.length).to.equal(1);
    });

    const bad = [
      { what: 'is empty', text: ' \n', got: 'got nothing' },
      { what: 'has two lines', text: 'Bearer a\nX-Evil: 1', got: 'got 18 characters that are not' },
      { what: 'is not ASCII', text: 'Bearer ä', got: 'got 8 characters that are not' },
    ];
    for (const { what, text, got } of bad) {
      it(`that ${what} refuses the start in a sentence without it`, () => {
        expect(() => sinkWith({ sinkAuthorizationFile: file(text) })).to.throw(
          new RegExp(
            `^--sink-authorization-file: expected one line of at most 8192 printable ASCII characters, ${got}$`,
          ),
        );
      });

      it(`that ${what} is refused later: the last good one stays, which is said once`, async () => {
        const path = file('Bearer first');
        const sink = sinkWith({ sinkAuthorizationFile: path });
        for (let n = 0; n < 2; n += 1) {
          file(text, path);
          later();
          await sink.post(outgoing(), receiver.url, never);
        }
        expect(sent()).to.deep.equal(['Bearer first', 'Bearer first']);
        const said = log.lines.filter(({ sentence }) => sentence === 'credentials refused, the last good ones stay');
        expect(said.map(({ level }) => level)).to.deep.equal(['warn', 'debug']);
        const refused = 'credential_reads_total{credential="sink-authorization",outcome="refused"}';
        expect(measure.counts.get(refused)).to.equal(2);
      });
    }

    it('whose file goes away stays as it was until it is back, both said once', async () => {
      const path = file('Bearer first');
      const sink = sinkWith({ sinkAuthorizationFile: path });
      rmSync(path);
      for (let n = 0; n < 3; n += 1) {
        later();
        await sink.post(outgoing(), receiver.url, never);
      }
      file('Bearer second', path);
      later();
      await sink.post(outgoing(), receiver.url, never);
      expect(sent()).to.deep.equal(['Bearer first', 'Bearer first', 'Bearer first', 'Bearer second']);
      rmSync(path);
      later();
      await sink.post(outgoing(), receiver.url, never);
      const about = log.lines.filter(({ fields }) => fields.credential === 'sink-authorization');
      expect(about.map(({ level, sentence }) => `${level} ${sentence}`)).to.deep.equal([
        'warn credentials refused, the last good ones stay',
        'info credentials read again',
        'warn credentials refused, the last good ones stay',
      ]);
      expect(about[0]?.fields.problem).to.equal(
        `--sink-authorization-file: expected a readable file at ${path}, got ENOENT`,
      );
    });

    it('stays as it was where a folder on the way to its file becomes something else', async () => {
      const way = mkdtempSync(join(folder, 'way'));
      const sink = sinkWith({ sinkAuthorizationFile: file('Bearer first', join(way, 'authorization')) });
      rmSync(way, { recursive: true });
      writeFileSync(way, '');
      later();
      expect(await sink.post(outgoing(), receiver.url, never)).to.deep.equal(delivered);
      expect(sent()).to.deep.equal(['Bearer first']);
    });

    it('over plain http is warned of once a sink', async () => {
      const sink = sinkWith({ sinkAuthorizationFile: file('Bearer first') });
      for (let n = 0; n < 2; n += 1) await sink.post(outgoing(), receiver.url, never);
      expect(log.lines).to.deep.equal([
        {
          level: 'warn',
          fields: {},
          sentence: 'the sink has no TLS, its Authorization header can be read on the way',
        },
      ]);
    });
  });

  it('refuses the start in one sentence for a file that is not there, a folder, or one too large', () => {
    const start = (path: string) => () => sinkWith({ sinkAuthorizationFile: path });
    const wanted = '--sink-authorization-file: expected a readable file at';
    expect(start('/nowhere/x')).to.throw(`${wanted} /nowhere/x, got ENOENT`);
    expect(start(folder)).to.throw(`${wanted} ${folder}, got something else than a file`);
    const below = join(file('x'), 'y');
    expect(start(below)).to.throw(`${wanted} ${below}, got ENOTDIR`);
    expect(start(file('x'.repeat(1_048_577)))).to.throw(/ of at most 1 MiB, got 1048577 bytes$/);
  });

  describe('TLS', () => {
    const server = selfSigned('sink.test');
    const client = selfSigned('client-one');
    const other = selfSigned('client-two');
    let tlsSink: TlsSink;

    async function start(options: Parameters<typeof startTlsSink>[0] = {}): Promise<string> {
      tlsSink = await startTlsSink({ ...server, ...options });
      closers.push(() => tlsSink.close());
      return `https://127.0.0.1:${tlsSink.port}/events`;
    }
    /** Asks for a certificate of ours, and takes these alone. */
    const asking = { requestCert: true, rejectUnauthorized: true, ca: [client.cert, other.cert] };

    it('trusts the authorities of the file alone', async () => {
      const url = await start();
      expect(resultOf(await sinkWith({}).post(outgoing(), url, never))).to.equal('tls');
      const stranger = sinkWith({ sinkCaFile: file(other.cert) });
      expect(resultOf(await stranger.post(outgoing(), url, never))).to.equal('tls');
      const friend = sinkWith({ sinkCaFile: file(other.cert + server.cert) });
      expect(await friend.post(outgoing(), url, never)).to.deep.equal(delivered);
    });

    it('refuses a certificate for another name, also from a trusted authority', async () => {
      const stray = selfSigned('elsewhere.test');
      const url = (await start(stray)).replace('127.0.0.1', 'localhost');
      const attempt = await sinkWith({ sinkCaFile: file(stray.cert) }).post(outgoing(), url, never);
      expect(attempt).to.deep.include({ result: 'tls' });
    });

    it('refuses a sink whose certificate has expired', async () => {
      const expired = selfSigned('sink.test', { untilMs: Date.now() - hourMs });
      const url = await start(expired);
      const attempt = await sinkWith({ sinkCaFile: file(expired.cert) }).post(outgoing(), url, never);
      expect(attempt).to.deep.include({ result: 'tls', problem: 'the TLS handshake failed (CERT_HAS_EXPIRED)' });
    });

    it('takes a new authority for new connections as soon as its file changes', async () => {
      const url = await start();
      const path = file(other.cert);
      const sink = sinkWith({ sinkCaFile: path });
      expect(resultOf(await sink.post(outgoing(), url, never))).to.equal('tls');
      file(server.cert, path);
      later();
      expect(await sink.post(outgoing(), url, never)).to.deep.equal(delivered);
    });

    it('shows the client certificate, and the rotated one over a new connection', async () => {
      const url = await start(asking);
      const [certPath, keyPath] = [file(client.cert), file(client.key)];
      const sinkCaFile = file(server.cert);
      const sink = sinkWith({ sinkCaFile, sinkClientCertFile: certPath, sinkClientKeyFile: keyPath });
      for (let n = 0; n < 2; n += 1) await sink.post(outgoing(), url, never);
      file(other.cert, certPath);
      later();
      // Half of a pair is no pair: the old one stays until the other half is there.
      await sink.post(outgoing(), url, never);
      file(other.key, keyPath);
      later();
      await sink.post(outgoing(), url, never);
      const shown = tlsSink.seen.map(({ client }) => client);
      expect(shown).to.deep.equal(['client-one', 'client-one', 'client-one', 'client-two']);
      expect(log.lines.map(({ fields }) => fields.problem)).to.deep.equal([
        '--sink-client-key-file: expected the key of the certificate in --sink-client-cert-file, in PEM and not encrypted, got another or none',
        undefined,
      ]);
    });

    it('fails where no client certificate is shown, a strange one, or one that has expired', async () => {
      const old = selfSigned('client-old', { fromMs: Date.now() - 3 * hourMs, untilMs: Date.now() - hourMs });
      const url = await start({ ...asking, ca: [client.cert, old.cert] });
      const sinkCaFile = file(server.cert);
      const none = await sinkWith({ sinkCaFile }).post(outgoing(), url, never);
      const results = [none];
      for (const { cert, key } of [other, old]) {
        const sink = sinkWith({ sinkCaFile, sinkClientCertFile: file(cert), sinkClientKeyFile: file(key) });
        results.push(await sink.post(outgoing(), url, never));
      }
      for (const attempt of results) expect(resultOf(attempt)).to.be.oneOf(['tls', 'unreachable', 'broken']);
      expect(tlsSink.seen).to.deep.equal([]);
    });

    it('refuses the start for authorities that are none, and for a key that is not of the certificate', () => {
      const broken = server.cert.replace(/\n.{10}/, '\nAAAAAAAAAA');
      for (const text of ['no PEM', broken]) {
        expect(() => sinkWith({ sinkCaFile: file(text) })).to.throw(
          '--sink-ca-file: expected certificates in PEM, got something else',
        );
      }
      const files = { sinkClientCertFile: file(client.cert), sinkClientKeyFile: file(other.key) };
      expect(() => sinkWith(files)).to.throw(/^--sink-client-key-file: expected the key of the certificate/);
    });
  });

  describe('a proxy', () => {
    const server = selfSigned('sink.test');
    let tlsSink: TlsSink;
    let proxy: ForwardProxy;

    beforeEach(async () => {
      tlsSink = await startTlsSink(server);
      proxy = await startForwardProxy(tlsSink.port);
      closers.push(
        () => tlsSink.close(),
        () => proxy.close(),
      );
    });
    const files = () => ({ sinkCaFile: file(server.cert), sinkAuthorizationFile: file('Bearer token') });

    it('of HTTPS_PROXY makes a tunnel to an https sink, which alone sees the headers', async () => {
      const sink = sinkWith(files(), { HTTPS_PROXY: proxy.url.replace('http://', 'http://us%40er:word@') });
      for (let n = 0; n < 2; n += 1) {
        expect(await sink.post(outgoing(), 'https://sink.test/events?a=b', never)).to.deep.equal(delivered);
      }
      expect(log.lines).to.deep.equal([]);
      const basic = `Basic ${Buffer.from('us@er:word').toString('base64')}`;
      expect(new Set(proxy.asked)).to.deep.equal(new Set([`CONNECT sink.test:443 ${basic}`]));
      const want = { path: '/events?a=b', authorization: 'Bearer token', host: 'sink.test', client: undefined };
      expect(tlsSink.seen).to.deep.equal([want, want]);
    });

    it('is shown no client certificate, the sink behind it is', async () => {
      const client = selfSigned('client-one');
      const asking = await startTlsSink({ ...server, requestCert: true, ca: [client.cert] });
      const way = await startForwardProxy(asking.port);
      closers.push(
        () => asking.close(),
        () => way.close(),
      );
      const pair = { sinkClientCertFile: file(client.cert), sinkClientKeyFile: file(client.key) };
      const sink = sinkWith({ ...files(), ...pair }, { HTTPS_PROXY: way.url });
      expect(await sink.post(outgoing(), 'https://sink.test/', never)).to.deep.equal(delivered);
      expect(asking.seen.map(({ client }) => client)).to.deep.equal(['client-one']);
    });

    it('does not stand in for the name that the certificate must carry', async () => {
      const attempt = await sinkWith(files(), { HTTPS_PROXY: proxy.url }).post(
        outgoing(),
        'https://other.test/',
        never,
      );
      expect(attempt).to.deep.include({ result: 'tls' });
      expect(tlsSink.seen).to.deep.equal([]);
    });

    it('of HTTP_PROXY forwards to an http sink', async () => {
      const receiver = await startSink();
      const way = await startForwardProxy(Number(new URL(receiver.url).port));
      closers.push(
        () => receiver.close(),
        () => way.close(),
      );
      const env = { HTTP_PROXY: way.url.replace('http://', 'http://user@'), HTTPS_PROXY: proxy.url };
      const sink = sinkWith({}, env);
      expect(await sink.post(outgoing(), 'http://sink.test:8080/events?a=b', never)).to.deep.equal(delivered);
      expect(way.asked).to.deep.equal([
        `POST http://sink.test:8080/events?a=b Basic ${Buffer.from('user:').toString('base64')}`,
      ]);
      expect(receiver.received[0]).to.deep.include({ path: '/events?a=b', body: {} });
      expect(receiver.received[0]?.headers.host).to.equal('sink.test:8080');
    });

    it('takes as many connections at once as the sink would', async () => {
      const receiver = await startSink();
      const way = await startForwardProxy(Number(new URL(receiver.url).port));
      closers.push(
        () => receiver.close(),
        () => way.close(),
      );
      const sink = createSink({ measure, maxConnections: 1, proxyOf: readProxies({ HTTP_PROXY: way.url }) });
      closers.push(() => sink.close());
      await Promise.all([1, 2, 3].map(() => sink.post(outgoing(), 'http://sink.test/', never)));
      expect([receiver.received.length, way.connections]).to.deep.equal([3, 1]);
    });

    it('that speaks TLS is trusted by the authorities of the file', async () => {
      const own = selfSigned('localhost');
      const way = await startForwardProxy(tlsSink.port, own);
      closers.push(() => way.close());
      const results = [server.cert, server.cert + own.cert].map((ca) =>
        sinkWith({ sinkCaFile: file(ca) }, { HTTPS_PROXY: way.url }).post(outgoing(), 'https://sink.test/', never),
      );
      expect((await Promise.all(results)).map(resultOf)).to.deep.equal(['tls', 'delivered']);
      expect(way.asked).to.deep.equal(['CONNECT sink.test:443 none']);
    });

    for (const url of ['https://sink.test/', 'http://sink.test/']) {
      it(`that refuses its password for ${url} is unreachable, and the problem names neither`, async () => {
        proxy.refuseWith = 407;
        const env = { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url };
        const attempt = await sinkWith(files(), env).post(outgoing(), url, never);
        expect(attempt).to.deep.include({ outcome: 'failed', result: 'unreachable' });
        expect(JSON.stringify(attempt))
          .to.match(/the proxy gives no way to the sink/)
          .and.not.match(/localhost|127|sink\.test/);
      });
    }

    it('that is not there is unreachable', async () => {
      const { url } = proxy;
      await proxy.close();
      closers.pop();
      const attempt = await sinkWith(files(), { HTTPS_PROXY: url }).post(outgoing(), 'https://sink.test/', never);
      expect(attempt).to.deep.include({ result: 'unreachable', problem: 'no connection (ECONNREFUSED)' });
    });

    it('that NO_PROXY takes a sink out of is not asked', async () => {
      const env = { HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.0/8,.svc' };
      const url = `https://127.0.0.1:${tlsSink.port}/`;
      expect(await sinkWith(files(), env).post(outgoing(), url, never)).to.deep.equal(delivered);
      expect(proxy.asked).to.deep.equal([]);
    });
  });

  it('lets nothing of a credential, a path or a URL into the log', async () => {
    const receiver = await startSink();
    closers.push(() => receiver.close());
    receiver.answer = answering(401);
    const path = file('Bearer s3cr3t-one');
    const sink = sinkWith({ sinkAuthorizationFile: path }, { HTTPS_PROXY: 'http://u:s3cr3t-two@proxy.test' });
    const url = receiver.url.replace('http://', 'http://u:s3cr3t-three@');
    await sink.post(outgoing(), url, never);
    file('Bearer s3cr3t-four\nX: s3cr3t-five', path);
    await sink.post(outgoing(), url, never);
    expect(log.lines.length).to.equal(2);
    expect(JSON.stringify(log.lines)).to.not.match(/s3cr3t|Bearer|127\.0\.0\.1|proxy\.test/);
  });
});
