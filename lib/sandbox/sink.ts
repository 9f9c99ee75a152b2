import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';

/** One CloudEvent as it arrived, in the HTTP binding's binary mode. */
export interface ReceivedEvent {
  readonly headers: IncomingHttpHeaders;
  /** The parsed body; undefined when it was no JSON. */
  readonly body: unknown;
}

export interface SinkOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  readonly onEvent: (event: ReceivedEvent) => void;
}

export interface Sink {
  /** What to give as `sink` in `config-events`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Bytes of one body; an event carries one resource, which a kube-apiserver limits to 3 MiB. */
const bodyLimit = 4 * 1024 * 1024;

/**
 * An event sink that takes whatever is posted: it hands each event to `onEvent` and answers 204, so that a
 * delivery counts only once it has been handed over. Other methods are answered 405, bodies too long 413.
 * Rejects when the port cannot be had.
 */
export async function startSink({ host = '127.0.0.1', port = 0, onEvent }: SinkOptions): Promise<Sink> {
  const server = createServer(async (request, response) => {
    const status = await receive(request, onEvent).catch(() => 400);
    response.writeHead(status, status === 204 ? {} : { connection: 'close' }).end();
  });
  server.listen(port, host);
  await once(server, 'listening');
  return { url: `http://${host}:${portOf(server)}/`, close: () => close(server) };
}

async function receive(request: IncomingMessage, onEvent: SinkOptions['onEvent']): Promise<number> {
  if (request.method !== 'POST') {
    request.resume();
    return 405;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length <= bodyLimit) chunks.push(chunk);
  }
  if (length > bodyLimit) return 413;
  onEvent({ headers: request.headers, body: parsed(Buffer.concat(chunks).toString()) });
  return 204;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
