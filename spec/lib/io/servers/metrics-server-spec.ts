import { once } from 'node:events';
import { expect } from 'chai';
import { type MetricsServerOptions, startMetricsServer } from '../../../../lib/io/servers/metrics-server.ts';
import { silentLog } from '../../../../lib/log.ts';
import { type Answer, type Asked, ask, open } from './requests.ts';

async function* twoChunks(format: string): AsyncGenerator<string> {
  yield `first ${format}\n`;
  yield 'second\n';
}

const defaults: MetricsServerOptions = {
  host: '127.0.0.1',
  port: 0,
  render: twoChunks,
  enabled: () => true,
  log: silentLog,
};

/** What one request to a server with these options is answered. */
async function answerTo(path: string, asked: Asked = {}, options: Partial<MetricsServerOptions> = {}): Promise<Answer> {
  const server = await startMetricsServer({ ...defaults, ...options });
  try {
    return await ask(server.port, path, asked);
  } finally {
    await server.close();
  }
}

describe('startMetricsServer', () => {
  it('answers GET /metrics with text 0.0.4', async () => {
    const { status, headers, body } = await answerTo('/metrics');
    expect({ status, body }).to.deep.equal({ status: 200, body: 'first text\nsecond\n' });
    expect(headers['content-type']).to.equal('text/plain; version=0.0.4; charset=utf-8');
    expect(headers.vary).to.equal('Accept, Accept-Encoding');
  });

  it('answers with OpenMetrics where it is asked for', async () => {
    const accept = 'application/openmetrics-text; version=1.0.0; q=0.8, text/plain; q=0.5';
    const { headers, body } = await answerTo('/metrics', { headers: { accept } });
    expect(headers['content-type']).to.equal('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(body).to.equal('first openmetrics\nsecond\n');
  });

  it('zips where that is accepted', async () => {
    const { headers, body } = await answerTo('/metrics?x=1', { headers: { 'accept-encoding': 'gzip' } });
    expect(headers['content-encoding']).to.equal('gzip');
    expect(body).to.equal('first text\nsecond\n');
  });

  it('answers HEAD with the headers and renders nothing', async () => {
    let rendered = 0;
    const render = (format: string) => {
      rendered += 1;
      return twoChunks(format);
    };
    const { status, headers, body } = await answerTo('/metrics', { method: 'HEAD' }, { render });
    expect({ status, body, rendered }).to.deep.equal({ status: 200, body: '', rendered: 0 });
    expect(headers['content-type']).to.match(/^text\/plain/);
  });

  it('answers other methods with 405 and the ones it takes', async () => {
    const { status, headers } = await answerTo('/metrics', { method: 'POST' });
    expect({ status, allow: headers.allow }).to.deep.equal({ status: 405, allow: 'GET, HEAD' });
  });

  it('answers other paths with 404', async () => {
    const { status, body } = await answerTo('/metric');
    expect({ status, body }).to.deep.equal({ status: 404, body: 'metrics are at /metrics\n' });
  });

  const off: readonly [boolean | string, string][] = [
    ['metrics-protocol is grpc', 'metrics-protocol is grpc\n'],
    [false, 'metrics are not served here now\n'],
  ];
  for (const [enabled, want] of off) {
    it(`answers 404 with "${want.trim()}" while off`, async () => {
      const { status, body } = await answerTo('/metrics', {}, { enabled: () => enabled });
      expect({ status, body }).to.deep.equal({ status: 404, body: want });
    });
  }

  it('answers 500 and logs when the first chunk cannot be rendered', async () => {
    const said: string[] = [];
    const render = (): AsyncIterable<string> => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('no values')) }),
    });
    const log = { ...silentLog, error: (_fields: unknown, sentence: string) => said.push(sentence) };
    const { status, body, headers } = await answerTo('/metrics', {}, { render, log });
    expect({ status, body }).to.deep.equal({ status: 500, body: 'the metrics could not be rendered\n' });
    expect(headers['content-encoding']).to.equal(undefined);
    expect(said).to.deep.equal(['the metrics could not be rendered']);
  });

  it('tears an answer that fails half way, so that it cannot pass for whole', async () => {
    async function* render(): AsyncGenerator<string> {
      yield 'x'.repeat(100_000);
      throw new Error('no values');
    }
    const [outcome] = await Promise.allSettled([answerTo('/metrics', {}, { render })]);
    expect(outcome.status).to.equal('rejected');
  });

  it('renders no further than its reader reads, and stops when that one leaves', async () => {
    let made = 0;
    const ended = Promise.withResolvers<void>();
    const said = Promise.withResolvers<string>();
    async function* render(): AsyncGenerator<string> {
      try {
        for (;;) {
          made += 1;
          yield 'x'.repeat(65_536);
        }
      } finally {
        ended.resolve();
      }
    }
    const say = (_fields: unknown, sentence: string) => said.resolve(sentence);
    const server = await startMetricsServer({ ...defaults, render, log: { ...silentLog, error: say, debug: say } });
    const socket = await open(server.port);
    socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'readable');
    socket.destroy();
    await ended.promise;
    await server.close();
    // An endless page ends: what the kernel's buffers took, and a chunk.
    expect(made).to.be.lessThan(500);
    expect(await said.promise).to.equal('a scraper left before the end of the metrics');
  });

  it('names its flag when the port is taken', async () => {
    const server = await startMetricsServer(defaults);
    const [outcome] = await Promise.allSettled([startMetricsServer({ ...defaults, port: server.port })]);
    await server.close();
    expect(outcome.status === 'rejected' && outcome.reason.message).to.match(/^--metrics-port: expected/);
  });
});
