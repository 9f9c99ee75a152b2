import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { deliveryLimits } from '../../../../lib/events/limits.ts';
import type { Attempt } from '../../../../lib/events/outgoing.ts';
import { createSink, type Sink, type SinkOptions } from '../../../../lib/io/sink/create-sink.ts';
import { noCredentials } from '../../../../lib/io/sink/sink-credentials.ts';
import { noMeasure } from '../../../../lib/metrics/own.ts';
import { outgoing } from '../../../support/outgoing.ts';
import { selfSigned } from '../../../support/self-signed.ts';
import { answering, type Sink as Receiver, startSink } from '../../../support/sink.ts';

const never = new AbortController().signal;

describe('createSink', () => {
  let receiver: Receiver;
  let sink: Sink;
  const closers: (() => unknown)[] = [];

  /** A server that speaks raw bytes. */
  async function rawServer(onConnection: (socket: Socket) => void): Promise<string> {
    const server = createTcpServer(onConnection);
    return listening(server, 'http');
  }

  async function listening(server: Server, scheme: string): Promise<string> {
    const sockets = new Set<Socket>();
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  function sinkWith(options: Partial<SinkOptions> = {}): Sink {
    const made = createSink({ measure: noMeasure, ...options });
    closers.push(() => made.close());
    return made;
  }

  function failedOf(attempt: Attempt): Extract<Attempt, { outcome: 'failed' }> {
    if (attempt.outcome !== 'failed') throw new Error(`expected a failure, got ${attempt.outcome}`);
    return attempt;
  }

  beforeEach(async () => {
    receiver = await startSink();
    closers.push(() => receiver.close());
    sink = sinkWith();
  });

  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });

  describe('a request', () => {
    it('is a CloudEvent in binary mode', async () => {
      const event = { ...outgoing({ id: 'id-7', timeMs: Date.UTC(2026, 2, 1, 10, 0, 0, 250) }), sequence: '0007.0' };
      expect(await sink.post(event, receiver.url, never)).to.deep.equal({ outcome: 'delivered', status: 204 });
      const [request] = receiver.received;
      expect(request).to.deep.include({ method: 'POST', path: '/events', body: {} });
      const { host: _, connection: __, ...headers } = request?.headers ?? {};
      expect(headers).to.deep.equal({
        'ce-id': 'id-7',
        'ce-source': '/apis/svc.dev/v1/namespaces/ci/taskruns/build-1',
        'ce-specversion': '1.0',
        'ce-subject': 'build-1',
        'ce-time': '2026-03-01T10:00:00.250Z',
        'ce-type': 'dev.svc.event.taskrun.running.v1',
        'ce-sequence': '0007.0',
        'content-type': 'application/json',
        'content-length': '2',
      });
    });

    it('says what is synthesized and what is traced', async () => {
      await sink.post({ ...outgoing(), synthesized: true, traceparent: '00-a-b-01' }, receiver.url, never);
      expect(receiver.received[0]?.headers).to.include({ 'ce-synthesized': 'true', 'ce-traceparent': '00-a-b-01' });
    });

    it('keeps path and query, and turns credentials into a header', async () => {
      const url = receiver.url.replace('http://', 'http://us%40er:p%3Ass@').replace('/events', '/a/b?c=d%20e');
      await sink.post(outgoing(), url, never);
      const [request] = receiver.received;
      expect(request?.path).to.equal('/a/b?c=d%20e');
      expect(request?.headers.authorization).to.equal(`Basic ${Buffer.from('us@er:p:ss').toString('base64')}`);
      expect(request?.headers.host).to.equal(new URL(receiver.url).host);
    });

    it('takes credentials that are no good percent-encoding as they are', async () => {
      await sink.post(outgoing(), receiver.url.replace('http://', 'http://50%@'), never);
      const want = `Basic ${Buffer.from('50%:').toString('base64')}`;
      expect(receiver.received[0]?.headers.authorization).to.equal(want);
    });

    it('carries three megabytes unchanged, also from the middle of a buffer', async () => {
      const whole = new Uint8Array(3_000_010).map((_, index) => index % 251);
      const body = whole.subarray(5, 3_000_005);
      expect(await sink.post({ ...outgoing(), body }, receiver.url, never)).to.have.property('outcome', 'delivered');
      expect(Buffer.compare(receiver.received[0]?.bytes ?? Buffer.alloc(0), body)).to.equal(0);
    });

    it('encodes what may not stand in a header', async () => {
      const event = { ...outgoing(), subject: 'bé "x"\r\nEvil: 1 100%', source: '/apis/ü b/\u{d800}' };
      expect(await sink.post(event, receiver.url, never)).to.have.property('outcome', 'delivered');
      expect(receiver.received[0]?.headers).to.include({
        'ce-subject': 'b%C3%A9%20%22x%22%0D%0AEvil:%201%20100%25',
        'ce-source': '/apis/%C3%BC%20b/%EF%BF%BD',
      });
    });

    it('reuses its connection', async () => {
      for (let n = 0; n < 3; n += 1) await sink.post(outgoing(), receiver.url, never);
      const ports = new Set(receiver.received.map(({ headers }) => headers.connection));
      expect([receiver.received.length, [...ports]]).to.deep.equal([3, ['keep-alive']]);
    });

    it('goes to another URL as soon as that is given', async () => {
      const other = await startSink();
      closers.push(() => other.close());
      await sink.post(outgoing(), receiver.url, never);
      await sink.post(outgoing(), other.url, never);
      await sink.post(outgoing(), other.url.replace('/events', '/new'), never);
      expect([receiver.received, other.received].map((list) => list.map(({ path }) => path))).to.deep.equal([
        ['/events'],
        ['/events', '/new'],
      ]);
    });
  });

  it('writes nothing over a connection that stands only when this replica may post no more', async () => {
    let leads = true;
    const led = sinkWith({ mayPost: () => leads });
    const attempt = led.post(outgoing(), receiver.url, never);
    leads = false;
    expect(failedOf(await attempt).result).to.equal('broken');
    leads = true;
    expect(await led.post(outgoing(), receiver.url, never)).to.include({ outcome: 'delivered' });
    expect(receiver.received).to.have.length(1);
  });

  it('closes the connections to the URL before, however long they might be kept', async () => {
    const closed = Promise.withResolvers<void>();
    const url = await rawServer((socket) => {
      socket.on('data', () => socket.write('HTTP/1.1 204 No Content\r\nKeep-Alive: timeout=300\r\n\r\n'));
      socket.on('close', () => closed.resolve());
    });
    await sink.post(outgoing(), url, never);
    await sink.post(outgoing(), receiver.url, never);
    await closed.promise;
    expect(receiver.received.length).to.equal(1);
  });

  it('waits for no connection that has yet to stand when it closes, and what waits for one is a failure', async () => {
    const asked = Promise.withResolvers<void>();
    // Never answers the first bytes of TLS.
    const url = await rawServer((socket) => void socket.once('data', () => asked.resolve()));
    const attempt = sink.post(outgoing(), url.replace('http:', 'https:'), never);
    await asked.promise;
    await sink.close();
    expect(failedOf(await attempt).result).to.equal('broken');
  });

  describe('an answer', () => {
    const answers = [
      { status: 200, want: { outcome: 'delivered', status: 200 } },
      { status: 301, want: { result: '3xx', problem: 'answered 301' }, headers: { location: '/elsewhere' } },
      { status: 307, want: { result: '3xx', problem: 'answered 307' }, headers: { location: '/elsewhere' } },
      { status: 400, want: { result: '4xx', problem: 'answered 400', retryAfterMs: undefined } },
      { status: 429, want: { result: '4xx', retryAfterMs: 7000 }, headers: { 'retry-after': '7' } },
      { status: 500, want: { result: '5xx', problem: 'answered 500' } },
      { status: 503, want: { result: '5xx', retryAfterMs: undefined }, headers: { 'retry-after': 'soon' } },
    ];
    for (const { status, want, headers = {} } of answers) {
      it(`of ${status} ${JSON.stringify(headers)} is told once and not followed`, async () => {
        receiver.answer = answering(status, headers);
        expect(await sink.post(outgoing(), receiver.url, never)).to.deep.include(want);
        expect(receiver.received.length).to.equal(1);
      });
    }

    it('may ask for a wait until a date', async () => {
      const now = () => Date.UTC(2026, 2, 1, 10, 0, 0);
      receiver.answer = answering(503, { 'retry-after': 'Sun, 01 Mar 2026 10:00:20 GMT' });
      const attempt = failedOf(await sinkWith({ now }).post(outgoing(), receiver.url, never));
      expect(attempt.retryAfterMs).to.equal(20_000);
    });

    it('with a body without end counts by its status', async () => {
      const ended = Promise.withResolvers<void>();
      receiver.answer = (_, response) => {
        response.writeHead(200);
        const flood = () => {
          while (!response.destroyed && response.write(Buffer.alloc(16_384))) {}
        };
        response.on('drain', flood).on('close', ended.resolve);
        flood();
      };
      expect(await sink.post(outgoing(), receiver.url, never)).to.have.property('outcome', 'delivered');
      await ended.promise;
    });

    it('that breaks off after a 2xx has been given', async () => {
      const url = await rawServer((socket) => {
        socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'));
      });
      expect(await sink.post(outgoing(), url, never)).to.deep.equal({ outcome: 'delivered', status: 200 });
    });
  });

  describe('no answer', () => {
    it('in time is a timeout', async () => {
      receiver.answer = () => {};
      const attempt = failedOf(await sinkWith({ timeoutMs: 40 }).post(outgoing(), receiver.url, never));
      expect(attempt).to.deep.include({ result: 'timeout', problem: 'no answer within 0.04 s' });
    });

    it('but early hints is a timeout', async () => {
      const url = await rawServer((socket) => {
        socket.on('data', () => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'));
      });
      const attempt = failedOf(await sinkWith({ timeoutMs: 40 }).post(outgoing(), url, never));
      expect(attempt.result).to.equal('timeout');
    });

    it('with an end is not needed once the status is known', async () => {
      receiver.answer = (_, response) => void response.writeHead(202).write('x');
      const attempt = await sinkWith({ timeoutMs: 40 }).post(outgoing(), receiver.url, never);
      expect(attempt).to.deep.equal({ outcome: 'delivered', status: 202 });
    });

    const raw = [
      { what: 'closed before the answer', act: (s: Socket) => s.end(), result: 'broken' },
      { what: 'closed in the middle of the headers', act: (s: Socket) => s.end('HTTP/1.1 200'), result: 'broken' },
      { what: 'reset', act: (s: Socket) => s.resetAndDestroy(), result: 'unreachable' },
      { what: 'answered with something else', act: (s: Socket) => s.end('SSH-2.0-sink\r\n\r\n'), result: 'broken' },
    ];
    for (const { what, act, result } of raw) {
      it(`because the connection was ${what} is ${result}`, async () => {
        const url = await rawServer((socket) => socket.once('data', () => act(socket)));
        expect(failedOf(await sink.post(outgoing(), url, never)).result).to.equal(result);
      });
    }

    it('because nobody listens is unreachable, and the problem names no address', async () => {
      const url = await rawServer(() => {});
      await closers.pop()?.();
      const attempt = failedOf(await sink.post(outgoing(), url.replace('http://', 'http://user:secret@'), never));
      expect(attempt).to.deep.include({ result: 'unreachable', problem: 'no connection (ECONNREFUSED)' });
    });

    it('because the certificate is not trusted is a TLS failure; a trusted one is taken', async () => {
      const { key, cert } = selfSigned('localhost');
      const trust = { ca: cert };
      const server = createHttpsServer({ key, cert }, (_, response) => void response.writeHead(204).end());
      const url = await listening(server as unknown as Server, 'https');
      expect(failedOf(await sink.post(outgoing(), url, never)).result).to.equal('tls');
      expect(
        await sinkWith({ credentials: { ...noCredentials, tls: () => trust } }).post(outgoing(), url, never),
      ).to.have.property('outcome', 'delivered');
    });

    it('because a plain server was asked for TLS is a TLS failure', async () => {
      const url = receiver.url.replace('http:', 'https:');
      expect(failedOf(await sink.post(outgoing(), url, never)).result).to.equal('tls');
    });
  });

  it('tries again at once, in the same attempt, when a kept connection turns out dead', async () => {
    let requests = 0;
    const url = await rawServer((socket) => {
      socket.on('data', () => {
        requests += 1;
        // The second request comes over the kept connection of the first.
        if (requests === 2) socket.destroy();
        else socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      });
    });
    const results: unknown[] = [];
    const counting = sinkWith({ measure: { ...noMeasure, count: (name, labels) => results.push([name, labels]) } });
    for (let n = 0; n < 2; n += 1) {
      expect(await counting.post(outgoing(), url, never)).to.have.property('outcome', 'delivered');
    }
    expect(requests).to.equal(3);
    expect(results).to.deep.equal([['event_delivery_attempts_total', { result: 'broken' }]]);
  });

  it('gives up after three tries in the same attempt, however many connections were kept', async () => {
    let requests = 0;
    const url = await rawServer((socket) => {
      socket.on('data', () => {
        requests += 1;
        if (requests > 5) socket.destroy();
        else socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      });
    });
    await Promise.all(Array.from({ length: 5 }, () => sink.post(outgoing(), url, never)));
    expect(failedOf(await sink.post(outgoing(), url, never)).result).to.equal('broken');
    expect(requests).to.equal(5 + 3);
  });

  it('tries once over a connection that was never any good', async () => {
    let requests = 0;
    const url = await rawServer((socket) => {
      socket.once('data', () => {
        requests += 1;
        socket.destroy();
      });
    });
    expect(failedOf(await sink.post(outgoing(), url, never)).result).to.equal('broken');
    expect(requests).to.equal(1);
  });

  it('can never send an event without a subject, and says so instead of asking the sink', async () => {
    const event = { ...outgoing(), subject: '' };
    expect(await sink.post(event, receiver.url, never)).to.have.property('outcome', 'unencodable');
    expect(await sink.post({ ...outgoing(), timeMs: Number.NaN }, receiver.url, never)).to.have.property(
      'outcome',
      'unencodable',
    );
    expect(receiver.received).to.deep.equal([]);
  });

  for (const url of ['nonsense', 'ftp://127.0.0.1/']) {
    it(`fails for a sink like ${url}`, async () => {
      const attempt = failedOf(await sink.post(outgoing(), url, never));
      expect(attempt).to.deep.include({ result: 'broken', problem: 'the sink is no http or https URL' });
    });
  }

  it("rejects with the signal's reason when broken off, before or during a post", async () => {
    const reason = new Error('deposed');
    const controller = new AbortController();
    receiver.answer = () => controller.abort(reason);
    const during = await sink.post(outgoing(), receiver.url, controller.signal).catch((error: unknown) => error);
    expect(during).to.equal(reason);
    const before = await sink.post(outgoing(), receiver.url, controller.signal).catch((error: unknown) => error);
    expect(before).to.equal(reason);
    expect(receiver.received.length).to.equal(1);
  });

  it('has as many posts under way as delivery wants, without a warning', async () => {
    const warnings: unknown[] = [];
    const warn = (warning: Error) => warnings.push(warning.name);
    process.on('warning', warn);
    closers.push(() => process.off('warning', warn));
    const { signal } = new AbortController();
    const posts = Array.from({ length: deliveryLimits.maxInFlight }, () => sink.post(outgoing(), receiver.url, signal));
    expect((await Promise.all(posts)).every(({ outcome }) => outcome === 'delivered')).to.equal(true);
    expect(warnings).to.deep.equal([]);
  });
});
