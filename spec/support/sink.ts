import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** One request as the sink received it. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly bytes: Buffer;
  /** The body as JSON; undefined when it is none. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Answers a request; the default is 204 without a body. */
export type Answer = (request: Received, response: ServerResponse) => void;

/** A sink on loopback that remembers what it received and lets a spec wait for more. */
export interface Sink {
  readonly url: string;
  readonly received: readonly Received[];
  /** How the next requests are answered. */
  answer: Answer;
  /** The first request, past or future, that this is true of. */
  first(wanted: (request: Received) => boolean): Promise<Received>;
  /** The first event of this type about the run with this uid; the type without prefix, kind and version. */
  told(uid: string, word: string): Promise<Received>;
  /** Types received for a subject, in order, each id once. */
  typesOf(subject: string): string[];
  close(): Promise<void>;
}

export const acknowledge: Answer = (_, response) => void response.writeHead(204).end();

/** Answers with this status and these headers. */
export function answering(status: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return (_, response) => void response.writeHead(status, headers).end();
}

/** Starts a sink, on a free port unless one is given. */
export async function startSink(atPort = 0): Promise<Sink> {
  const received: Received[] = [];
  const waiting = new Set<(request: Received) => void>();
  const server = createServer((request, response) => void take(request, response));

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const one = await readRequest(request);
    received.push(one);
    sink.answer(one, response);
    for (const tell of waiting) tell(one);
  }

  await new Promise<void>((resolve) => server.listen(atPort, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const sink: Sink = {
    url: `http://127.0.0.1:${port}/events`,
    received,
    answer: acknowledge,
    first: (wanted) => firstOf(received, waiting, wanted),
    told: (uid, word) =>
      firstOf(received, waiting, ({ headers, body }) => {
        return uidIn(body) === uid && String(headers['ce-type']).endsWith(`.${word}.v1`);
      }),
    typesOf: (subject) => typesOf(received, subject),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return sink;
}

async function readRequest(request: IncomingMessage): Promise<Received> {
  const bytes = await buffer(request);
  const { method = '', url: path = '', headers, rawHeaders } = request;
  return { method, path, headers, rawHeaders, bytes, body: jsonOf(bytes) };
}

function jsonOf(bytes: Buffer): Received['body'] {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

function firstOf(
  received: readonly Received[],
  waiting: Set<(request: Received) => void>,
  wanted: (request: Received) => boolean,
): Promise<Received> {
  const past = received.find(wanted);
  if (past !== undefined) return Promise.resolve(past);
  return new Promise((resolve) => {
    const tell = (request: Received) => {
      if (!wanted(request)) return;
      waiting.delete(tell);
      resolve(request);
    };
    waiting.add(tell);
  });
}

/** The uid of the resource under the one root key. */
function uidIn(body: Received['body']): unknown {
  const [resource] = Object.values(body ?? {}) as { readonly metadata?: { readonly uid?: unknown } }[];
  return resource?.metadata?.uid;
}

function typesOf(received: readonly Received[], subject: string): string[] {
  const byId = new Map(
    received
      .filter(({ headers }) => headers['ce-subject'] === subject)
      .map(({ headers }) => [headers['ce-id'], headers['ce-type']]),
  );
  return [...byId.values()].map(String);
}
