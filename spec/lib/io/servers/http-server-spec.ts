import { once } from 'node:events';
import { Agent } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { useFakeTimers } from 'sinon';
import { pathOf, queryHas, refuseMethod, sendText, startHttpServer } from '../../../../lib/io/servers/http-server.ts';
import { selfSigned } from '../../../support/self-signed.ts';
import { ask, open } from './requests.ts';

const loopback = { flag: '--metrics-port', host: '127.0.0.1', port: 0 };

async function messageOf(promise: Promise<unknown>): Promise<string> {
  const [outcome] = await Promise.allSettled([promise]);
  return outcome.status === 'rejected' ? String(outcome.reason.message) : 'no error';
}

describe('startHttpServer', () => {
  it('names flag, port and address when the port is taken', async () => {
    const server = await startHttpServer(loopback, (_request, response) => response.end());
    const second = startHttpServer({ ...loopback, port: server.port }, () => {});
    expect(await messageOf(second)).to.equal(
      `--metrics-port: expected a port to listen on, got ${server.port} at 127.0.0.1: something else listens there`,
    );
    await server.close();
  });

  it('names an address that the machine does not have', async () => {
    // 192.0.2.0/24 is for documentation: nobody has it.
    expect(await messageOf(startHttpServer({ ...loopback, host: '192.0.2.1' }, () => {}))).to.equal(
      '--metrics-port: expected a port to listen on, got 0 at 192.0.2.1: this machine does not have that address',
    );
  });

  it('says the code of any other refusal', async () => {
    expect(await messageOf(startHttpServer({ ...loopback, port: 70_000 }, () => {}))).to.match(
      /^--metrics-port: .* got 70000 at 127\.0\.0\.1: listening failed \(ERR_SOCKET_BAD_PORT\)$/,
    );
  });

  it('ends idle connections at once when closed', async () => {
    const server = await startHttpServer({ ...loopback, graceMs: 3_600_000 }, (_request, response) => response.end());
    const agent = new Agent({ keepAlive: true });
    await ask(server.port, '/', { agent });
    await server.close();
    expect(await messageOf(ask(server.port, '/'))).to.include('ECONNREFUSED');
    agent.destroy();
  });

  it('waits for a running answer when closed', async () => {
    let finish = () => {};
    const begun = Promise.withResolvers<void>();
    const server = await startHttpServer(loopback, (_request, response) => {
      finish = () => response.end('whole');
      begun.resolve();
    });
    const asked = ask(server.port, '/');
    await begun.promise;
    const clock = useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const closed = server.close();
      clock.tick(1999);
      finish();
      expect((await asked).body).to.equal('whole');
      await closed;
      expect(clock.countTimers()).to.equal(0);
    } finally {
      clock.restore();
    }
  });

  it('ends an answer that outlasts the grace', async () => {
    const begun = Promise.withResolvers<void>();
    const server = await startHttpServer({ ...loopback, graceMs: 1 }, () => begun.resolve());
    const asked = messageOf(ask(server.port, '/'));
    await begun.promise;
    await server.close();
    expect(await asked).to.match(/hang up|ECONNRESET/);
  });

  it('ends a connection that stands still in the middle of an answer', async () => {
    const server = await startHttpServer({ ...loopback, stallMs: 20 }, (_request, response) => response.write('half'));
    const socket = await open(server.port);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.resume();
    await once(socket, 'close');
    await server.close();
    expect(socket.bytesRead).to.be.greaterThan(0);
  });

  it('refuses headers beyond 8 KB', async () => {
    const server = await startHttpServer(loopback, (_request, response) => response.end());
    expect((await ask(server.port, '/', { headers: { long: 'x'.repeat(9000) } })).status).to.equal(431);
    await server.close();
  });

  it('serves TLS alone where it has a certificate', async () => {
    const pair = selfSigned('metrics.example');
    const server = await startHttpServer({ ...loopback, certificate: () => pair }, (_request, response) =>
      response.end('secret'),
    );
    const asked = request({
      host: '127.0.0.1',
      port: server.port,
      ca: pair.cert,
      servername: 'metrics.example',
      agent: false,
    });
    asked.end();
    const [response] = await once(asked, 'response');
    expect(await text(response)).to.equal('secret');
    expect(await messageOf(ask(server.port, '/'))).to.match(/hang up|ECONNRESET/);
    await server.close();
  });

  describe('what its listeners share', () => {
    let close = async () => {};
    let port = 0;
    beforeEach(async () => {
      const server = await startHttpServer(loopback, (request, response) => {
        if (refuseMethod(request, response)) return;
        const type = queryHas(request, 'plain') ? undefined : 'text/x-odd';
        sendText(response, 203, `${pathOf(request)} ${queryHas(request, 'verbose')} ä`, type);
      });
      ({ port, close } = server);
    });
    afterEach(() => close());

    const queries = [
      { url: '/readyz', body: '/readyz false ä' },
      { url: '/verbose', body: '/verbose false ä' },
      { url: '/readyz?verbose', body: '/readyz true ä' },
      { url: '/readyz?a=verbose&b', body: '/readyz false ä' },
      { url: '/readyz?a=?&verbose=1', body: '/readyz true ä' },
      { url: '/?verbose', body: '/ true ä' },
    ];
    for (const { url, body } of queries) {
      it(`reads path and query of ${url}`, async () => {
        expect((await ask(port, url)).body).to.equal(body);
      });
    }

    it('answers text that nobody is to store or to guess about', async () => {
      const { status, headers } = await ask(port, '/a');
      expect(status).to.equal(203);
      expect(headers).to.include({
        'content-type': 'text/x-odd',
        'content-length': String(Buffer.byteLength('/a false ä')),
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      expect((await ask(port, '/a?plain')).headers['content-type']).to.equal('text/plain; charset=utf-8');
    });

    it('answers a HEAD with the headers alone', async () => {
      const { status, headers, body } = await ask(port, '/a', { method: 'HEAD' });
      expect([status, headers['content-length'], body]).to.deep.equal([203, '11', '']);
    });

    it('refuses any other method and names those it takes', async () => {
      const { status, headers, body } = await ask(port, '/a', { method: 'POST' });
      expect([status, headers.allow, body]).to.deep.equal([405, 'GET, HEAD', 'only GET and HEAD are answered here\n']);
    });
  });
});
