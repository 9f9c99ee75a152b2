import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { type Metadata, Server, ServerCredentials, type ServiceDefinition, type sendUnaryData } from '@grpc/grpc-js';
import { type ReceivedBatch, type ReceivedMetric, type ReceivedSpan, readMetrics, readSpans } from './otlp-messages.ts';

/** One request as the receiver took it. */
export interface ReceivedExport {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly metrics: readonly ReceivedBatch<ReceivedMetric>[];
  readonly spans: readonly ReceivedBatch<ReceivedSpan>[];
}

/** An OTLP receiver on loopback. */
export interface OtlpReceiver {
  /** `host:port`. */
  readonly endpoint: string;
  readonly port: number;
  readonly received: readonly ReceivedExport[];
  /** What the next requests are answered: 0 takes them; else an HTTP status, or a gRPC code. */
  answer: number;
  /** The next request that has not been asked for yet. */
  next(): Promise<ReceivedExport>;
  close(): Promise<void>;
}

interface ReceiverOptions {
  /** 0, any free port, by default. */
  readonly port?: number;
  /** PEM that makes it speak TLS; `ca` makes it ask for a client's certificate. */
  readonly tls?: { readonly key: string; readonly cert: string; readonly ca?: string };
}

/** A mailbox: who asks waits for the next one. */
function createMailbox() {
  const received: ReceivedExport[] = [];
  const asking: ((one: ReceivedExport) => void)[] = [];
  let asked = 0;
  return {
    received,
    put(one: ReceivedExport) {
      received.push(one);
      const tell = asking.shift();
      if (tell !== undefined) tell(one);
    },
    next(): Promise<ReceivedExport> {
      const one = received[asked];
      asked += 1;
      return one === undefined ? new Promise((resolve) => asking.push(resolve)) : Promise.resolve(one);
    },
  };
}

/** A receiver at a port of loopback that takes what comes, as long as it is not told otherwise. */
function receiverAt(
  port: number,
  mailbox: ReturnType<typeof createMailbox>,
  close: OtlpReceiver['close'],
): OtlpReceiver {
  const { received, next } = mailbox;
  return { endpoint: `127.0.0.1:${port}`, port, received, answer: 0, next, close };
}

const metricsPath = '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export';
const tracesPath = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

function readExport(path: string, headers: ReceivedExport['headers'], body: Buffer): ReceivedExport {
  const traces = /trace/i.test(path);
  return { path, headers, metrics: traces ? [] : readMetrics(body), spans: traces ? readSpans(body) : [] };
}

/** Starts a receiver of OTLP over HTTP, protobuf in any encoding that we send. */
export async function startHttpReceiver({ port = 0, tls }: ReceiverOptions = {}): Promise<OtlpReceiver> {
  const mailbox = createMailbox();
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const raw = await buffer(request);
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw;
    response.writeHead(receiver.answer === 0 ? 200 : receiver.answer).end();
    mailbox.put(readExport(request.url ?? '', request.headers, body));
  };
  const listener = (request: IncomingMessage, response: ServerResponse) => void take(request, response);
  const server = tls === undefined ? createServer(listener) : createTlsServer(pem(tls), listener);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: given } = server.address() as AddressInfo;
  const receiver = receiverAt(given, mailbox, async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  return receiver;
}

function pem({ key, cert, ca }: NonNullable<ReceiverOptions['tls']>) {
  return { key, cert, ...(ca === undefined ? {} : { ca, requestCert: true, rejectUnauthorized: true }) };
}

/** Starts a receiver of OTLP over gRPC. */
export async function startGrpcReceiver({ port = 0, tls }: ReceiverOptions = {}): Promise<OtlpReceiver> {
  const mailbox = createMailbox();
  const server = new Server();
  const handler = (path: string) => (call: { request: Buffer; metadata: Metadata }, done: sendUnaryData<Buffer>) => {
    if (receiver.answer === 0) done(null, Buffer.alloc(0));
    else done({ code: receiver.answer, details: 'refused by the spec' });
    mailbox.put(readExport(path, call.metadata.getMap(), call.request));
  };
  for (const path of [metricsPath, tracesPath]) server.addService(serviceAt(path), { export: handler(path) });
  const given = await bind(server, port, tls);
  const receiver = receiverAt(given, mailbox, async () => server.forceShutdown());
  return receiver;
}

function serviceAt(path: string): ServiceDefinition {
  const asIs = (bytes: Buffer) => bytes;
  const stream = { requestStream: false, responseStream: false };
  const bytes = {
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  };
  return { export: { path, ...stream, ...bytes } };
}

function bind(server: Server, port: number, tls: ReceiverOptions['tls']): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, credentialsOf(tls), (error, given) => {
      if (error === null) resolve(given);
      else reject(error);
    });
  });
}

function credentialsOf(tls: ReceiverOptions['tls']): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const ca = tls.ca === undefined ? null : Buffer.from(tls.ca);
  const pair = { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) };
  return ServerCredentials.createSsl(ca, [pair], ca !== null);
}
