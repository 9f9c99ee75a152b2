import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { ApiError } from '../../../../lib/sandbox/api/api-error.ts';
import { readBody } from '../../../../lib/sandbox/api/read-body.ts';

const json = ['application/json'];
const merge = ['application/merge-patch+json'];
const limit = 3 * 1024 * 1024;

interface Sent {
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly contentType?: string;
  readonly accepted?: readonly string[];
}

describe('readBody', () => {
  let server: Server;
  let accepted: readonly string[] = json;
  beforeEach(async () => {
    server = createServer((request, response) => {
      const answer = (found: object) => response.end(JSON.stringify(found));
      readBody(request, accepted).then(answer, (error: unknown) => {
        if (!(error instanceof ApiError)) return answer({ error: String(error) });
        // What was not read of a body would keep the client from reading the answer.
        request.resume();
        return answer({ code: error.code, message: error.message });
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const send = async ({ body = '', contentType, accepted: types = json }: Sent): Promise<Record<string, unknown>> => {
    accepted = types;
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      headers: contentType === undefined ? {} : { 'content-type': contentType },
      body: new Blob([body]),
    });
    return JSON.parse(await answer.text());
  };

  it('reads JSON, and its type without parameters and in lower case', async () => {
    expect(await send({ body: '{"a":"ü"}', contentType: 'Application/JSON; charset=utf-8' })).to.deep.equal({
      body: { a: 'ü' },
      contentType: 'application/json',
    });
  });

  it('takes a body without a type for JSON where JSON will do', async () => {
    expect(await send({ body: '[1]' })).to.deep.equal({ body: [1], contentType: '' });
  });

  it('refuses a body without a type where JSON will not do', async () => {
    expect(await send({ body: '{}', accepted: merge })).to.include({ code: 415 });
  });

  it('gives nothing for an empty body, typed or not', async () => {
    expect(await send({})).to.deep.equal({ contentType: '' });
    expect(await send({ contentType: 'application/json' })).to.deep.equal({ contentType: 'application/json' });
  });

  it('refuses another type, even of an empty body', async () => {
    const want = { code: 415, message: /accepted media types include: application\/json$/ };
    for (const body of ['', '{}']) {
      const { code, message } = await send({ body, contentType: 'application/yaml' });
      expect(code).to.equal(want.code);
      expect(message).to.match(want.message);
    }
  });

  it('refuses what is no JSON', async () => {
    const { code, message } = await send({ body: '{"a":', contentType: 'application/json' });
    expect(code).to.equal(400);
    expect(message).to.contain('json parse error');
  });

  it('takes a body of 3 MiB and refuses one byte more', async () => {
    const text = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`;
    const whole = await send({ body: text(limit), contentType: 'application/json' });
    expect(whole.body).to.have.length(limit - 2);
    expect(await send({ body: text(limit + 1), contentType: 'application/json' })).to.deep.equal({
      code: 413,
      message: 'Request entity too large: limit is 3145728',
    });
  });
});
