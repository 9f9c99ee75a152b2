import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';

/** One request as a sink with TLS received it. */
export interface Seen {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly host: string | undefined;
  /** Common name of the certificate that the client showed; undefined: none. */
  readonly client: string | undefined;
}

/** A sink with TLS on loopback. */
export interface TlsSink {
  readonly port: number;
  readonly seen: readonly Seen[];
  /** The status of the answer. */
  answer: (seen: Seen) => number;
  close(): Promise<void>;
}

/** Starts a sink with TLS that answers 204. */
export async function startTlsSink(options: ServerOptions): Promise<TlsSink> {
  const seen: Seen[] = [];
  const sockets = new Set<Duplex>();
  const server = createServer(options, (request, response) => {
    request.resume();
    const one = seenOf(request);
    seen.push(one);
    response.writeHead(sink.answer(one)).end();
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sink: TlsSink = {
    port: (server.address() as AddressInfo).port,
    seen,
    answer: () => 204,
    async close() {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
  return sink;
}

function seenOf({ url = '', headers, socket }: IncomingMessage): Seen {
  const { subject } = (socket as TLSSocket).getPeerCertificate();
  return { path: url, authorization: headers.authorization, host: headers.host, client: subject?.CN?.toString() };
}
