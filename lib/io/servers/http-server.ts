import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { text } from '../../run/fields.ts';
import type { KeyAndCert } from '../check-pem.ts';
import { createSecureServer } from './secure-server.ts';

/** Where a server listens, and the flag that says so. */
export interface ListenOptions {
  /** The flag to name when the port cannot be had. */
  readonly flag: string;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** How long running answers may take once `close` is called: 2000 ms by default. */
  readonly graceMs?: number;
  /** How long a connection may stand still in the middle of an answer: 30,000 ms by default. */
  readonly stallMs?: number;
  /** What TLS is served with, asked before each handshake; plain HTTP by default. */
  readonly certificate?: (() => KeyAndCert) | undefined;
}

/** A server that listens. */
export interface HttpServer {
  /** The one it really has, where 0 was asked for. */
  readonly port: number;
  /** Ends idle connections at once, waits for running answers as long as the grace lasts, then ends those too. */
  close(): Promise<void>;
}

/**
 * What a client may take up: a scraper sends one short GET at a time, and holds its connection between two scrapes
 * (75 s outlasts any interval up to a minute).
 */
const limits = {
  maxHeaderSize: 8192,
  headersTimeout: 5000,
  requestTimeout: 10_000,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 2000,
};
const maxConnections = 128;

/** Starts a server; rejects with one sentence that names flag, address and port when they cannot be had. */
export async function startHttpServer(options: ListenOptions, listener: RequestListener): Promise<HttpServer> {
  const { certificate } = options;
  const server = certificate ? createSecureServer(certificate, limits, listener) : createServer(limits, listener);
  const sockets = openSockets(server);
  server.maxConnections = maxConnections;
  server.setTimeout(options.stallMs ?? 30_000);
  try {
    server.listen(options.port, options.host);
    await once(server, 'listening');
  } catch (cause) {
    throw new Error(refusal(options, cause), { cause });
  }
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  return { port, close: () => close(server, sockets, options.graceMs ?? 2000) };
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'something else listens there',
  EADDRNOTAVAIL: 'this machine does not have that address',
  EACCES: 'this process may not listen there',
  ENOTFOUND: 'that address has no such name',
};

function refusal({ flag, host, port }: ListenOptions, cause: unknown): string {
  const code = text(cause, 'code');
  return `${flag}: expected a port to listen on, got ${port} at ${host}: ${reasons[code] ?? `listening failed (${code})`}`;
}

/** Also those in the middle of a TLS handshake, which the server itself does not know as connections. */
function openSockets(server: Server | SecureServer): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

async function close(server: Server | SecureServer, sockets: ReadonlySet<Socket>, graceMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const grace = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, graceMs);
  try {
    await closed;
  } finally {
    clearTimeout(grace);
  }
}

/** The path of a request, without its query. */
export function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').replace(/\?.*/s, '');
}

/** Whether the query of a request names this word (`?verbose`, `?verbose=1`). */
export function queryHas(request: IncomingMessage, word: string): boolean {
  const url = request.url ?? '';
  return url.includes('?') && new URLSearchParams(url.slice(url.indexOf('?'))).has(word);
}

/** Answers anything but GET and HEAD with 405; true when it did. */
export function refuseMethod(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.method === 'GET' || request.method === 'HEAD') return false;
  response.setHeader('Allow', 'GET, HEAD');
  sendText(response, 405, 'only GET and HEAD are answered here\n');
  return true;
}

/** Answers with a whole text; a HEAD gets its headers. */
export function sendText(response: ServerResponse, status: number, body: string, contentType?: string): void {
  response.writeHead(status, {
    'Content-Type': contentType ?? 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}
