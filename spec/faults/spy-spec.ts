import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { type Spy, startSpy } from '../../faults/servers/spy.ts';

describe('the spy before an API server', () => {
  let server: Server;
  let spy: Spy;
  let reached: string[];
  let end: AbortController;

  beforeEach(async () => {
    reached = [];
    end = new AbortController();
    server = createServer((request, response) => {
      reached.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      request.pipe(response.writeHead(201, { 'x-said': 'yes' }));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    spy = await startSpy({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
  afterEach(async () => {
    end.abort();
    await spy.close();
    server.close();
    server.closeAllConnections();
  });

  const put = (path: string) =>
    fetch(`${spy.url}${path}`, { method: 'PUT', body: 'hello', headers: { authorization: 'me' }, signal: end.signal });

  it('passes requests and answers on as they are', async () => {
    const answer = await put('/a?b=c');
    expect([answer.status, answer.headers.get('x-said'), await answer.text()]).to.deep.equal([201, 'yes', 'hello']);
    expect(reached).to.deep.equal(['PUT /a?b=c me']);
  });

  it('keeps a request to itself', async () => {
    const kept = new Promise<string>((resolve) => {
      spy.onRequest = ({ method, path }) => {
        resolve(`${method} ${path}`);
        return 'hang';
      };
    });
    put('/a').catch(() => {});
    expect(await kept).to.equal('PUT /a');
    spy.forget();
    await put('/b');
    expect(reached).to.deep.equal(['PUT /b me']);
  });

  it('keeps an answer to itself that the server has given', async () => {
    const kept = new Promise<void>((resolve) => {
      spy.onAnswer = () => {
        resolve();
        return 'hang';
      };
    });
    const states: string[] = [];
    const asked = put('/a').then(
      () => states.push('answered'),
      () => states.push('ended'),
    );
    await kept;
    expect(reached).to.deep.equal(['PUT /a me']);
    end.abort();
    await asked;
    expect(states).to.deep.equal(['ended']);
  });
});
