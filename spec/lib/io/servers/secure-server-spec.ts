import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { useFakeTimers } from 'sinon';
import type { KeyAndCert } from '../../../../lib/io/check-pem.ts';
import type { HttpServer } from '../../../../lib/io/servers/http-server.ts';
import { startMetricsServer } from '../../../../lib/io/servers/metrics-server.ts';
import type { Admission } from '../../../../lib/io/servers/secure-admission.ts';
import { serverCertificate } from '../../../../lib/io/servers/secure-certificate.ts';
import { silentLog } from '../../../../lib/log.ts';
import { noMeasure } from '../../../../lib/metrics/own.ts';
import { recordedLog } from '../../../support/recorded-log.ts';
import { selfSigned } from '../../../support/self-signed.ts';

const dayMs = 86_400_000;

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  readonly peer: PeerCertificate;
}

describe('metrics over TLS', () => {
  const servers: HttpServer[] = [];
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'spec-secure-server-'));
  });
  after(() => rmSync(folder, { recursive: true }));
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });

  async function serve(
    certificate: () => KeyAndCert,
    more: { readonly admission?: Admission; readonly graceMs?: number } = {},
  ): Promise<HttpServer> {
    async function* render(): AsyncGenerator<string> {
      yield 'metrics\n';
    }
    const options = { host: '127.0.0.1', port: 0, render, enabled: () => true, log: silentLog, certificate, ...more };
    const server = await startMetricsServer(options);
    servers.push(server);
    return server;
  }

  /** Asks without believing the certificate, unless `ca` is given. */
  async function ask(
    { port }: HttpServer,
    options: { ca?: string; headers?: Record<string, string>; agent?: Agent } = {},
  ) {
    const { ca, headers = {}, agent = new Agent() } = options;
    const trust = ca === undefined ? { rejectUnauthorized: false } : { ca };
    const asked = request({ host: 'localhost', family: 4, port, path: '/metrics', headers, agent, ...trust });
    asked.end();
    const [response] = await once(asked, 'response');
    const peer = (response.socket as TLSSocket).getPeerCertificate();
    return { status: response.statusCode, headers: response.headers, body: await text(response), peer } as Answer;
  }

  function pairFiles(pair: KeyAndCert): { certFile: string; keyFile: string } {
    const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
    for (const [path, content] of [
      [certFile, pair.cert],
      [keyFile, pair.key],
    ] as const) {
      writeFileSync(`${path}.new`, content);
      renameSync(`${path}.new`, path);
    }
    return { certFile, keyFile };
  }

  const around = { hostname: 'pod-1', measure: noMeasure, log: silentLog };

  it('are served with the certificate of the files', async () => {
    const pair = selfSigned('localhost');
    const server = await serve(serverCertificate({ ...around, ...pairFiles(pair) }));
    expect(await ask(server, { ca: pair.cert })).to.deep.include({ status: 200, body: 'metrics\n' });
  });

  it('take a rotated certificate for the next connection, and end none that stands', async () => {
    const [first, second] = [selfSigned('first.test'), selfSigned('second.test')];
    let nowMs = 0;
    const files = pairFiles(first);
    const server = await serve(serverCertificate({ ...around, ...files, monotonicMs: () => nowMs }));
    const kept = new Agent({ keepAlive: true, maxSockets: 1 });
    const names = [(await ask(server, { agent: kept })).peer.subject.CN];
    pairFiles(second);
    nowMs = 1_000;
    names.push((await ask(server)).peer.subject.CN);
    const { status, peer } = await ask(server, { agent: kept });
    kept.destroy();
    expect(names).to.deep.equal(['first.test', 'second.test']);
    expect({ status, name: peer.subject.CN }).to.deep.equal({ status: 200, name: 'first.test' });
  });

  it('keep the certificate while the files hold halves of two pairs, and say so', async () => {
    const [first, second] = [selfSigned('first.test'), selfSigned('second.test')];
    const log = recordedLog();
    let nowMs = 0;
    const files = pairFiles(first);
    const certificate = serverCertificate({ ...around, log, ...files, monotonicMs: () => nowMs });
    pairFiles({ cert: second.cert, key: first.key });
    nowMs = 1_000;
    expect(certificate().cert).to.equal(first.cert);
    expect(log.lines.map(({ level, fields }) => `${level} ${fields.problem}`)).to.deep.equal([
      'warn --metrics-key-file: expected the key of the certificate in --metrics-cert-file, in PEM and not encrypted, got another or none',
    ]);
    pairFiles(second);
    nowMs = 2_000;
    expect(certificate()).to.deep.equal(second);
  });

  it('do not start with files that are none', () => {
    expect(() => serverCertificate({ ...around, certFile: '/nowhere/tls.crt', keyFile: '/nowhere/tls.key' })).to.throw(
      '--metrics-cert-file: expected a readable file at /nowhere/tls.crt, got ENOENT',
    );
  });

  it('are served with a certificate made for the purpose where there are no files', async () => {
    const certificate = serverCertificate({ ...around, certFile: undefined, keyFile: undefined });
    const server = await serve(certificate);
    expect(await ask(server, { ca: certificate().cert })).to.deep.include({ status: 200 });
    expect((await ask(server)).peer.subject.CN).to.equal('pod-1');
  });

  it('have a new certificate of their own a month before the old one ends', () => {
    let nowMs = Date.UTC(2026, 0, 1);
    const certificate = serverCertificate({ ...around, certFile: undefined, keyFile: undefined, now: () => nowMs });
    const first = certificate();
    nowMs += 335 * dayMs - 1;
    expect(certificate()).to.equal(first);
    nowMs += 1;
    expect(certificate()).to.not.equal(first);
  });

  it('answer nothing to plain HTTP, nor to TLS 1.1', async () => {
    const server = await serve(serverCertificate({ ...around, certFile: undefined, keyFile: undefined }));
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await text(socket)).to.not.match(/metrics/);
    const agent = new Agent({ maxVersion: 'TLSv1.1', minVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' });
    const [outcome] = await Promise.allSettled([ask(server, { agent })]);
    expect(outcome.status).to.equal('rejected');
  });

  it('close in time also while somebody stands still in the middle of a handshake', async () => {
    const certificate = serverCertificate({ ...around, certFile: undefined, keyFile: undefined });
    const reached = Promise.withResolvers<void>();
    const server = await serve(() => {
      // The first call is for the start.
      if (servers.length > 0) reached.resolve();
      return certificate();
    });
    const socket = connect(server.port, '127.0.0.1');
    await reached.promise;
    const clock = useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const closed = server.close();
      clock.tick(2_000);
      await closed;
      expect(clock.countTimers()).to.equal(0);
    } finally {
      clock.restore();
      servers.splice(0);
      socket.destroy();
    }
  });

  it('ask who may read before anything else is said of them', async () => {
    const given: unknown[] = [];
    const admission: Admission = async (authorization) => {
      given.push(authorization);
      const headers = { 'WWW-Authenticate': 'Bearer' };
      return authorization === 'Bearer good' ? undefined : { status: 401, sentence: 'expected a good one', headers };
    };
    const server = await serve(serverCertificate({ ...around, certFile: undefined, keyFile: undefined }), {
      admission,
    });
    const refused = await ask(server);
    expect(refused).to.deep.include({ status: 401, body: 'expected a good one\n' });
    expect(refused.headers).to.include({ 'www-authenticate': 'Bearer' });
    expect(await ask(server, { headers: { authorization: 'Bearer good' } })).to.deep.include({ body: 'metrics\n' });
    expect(given).to.deep.equal([undefined, 'Bearer good']);
  });
});
