import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { KeyAndCert } from './self-signed.ts';

/** A forward proxy on loopback. */
export interface ForwardProxy {
  readonly url: string;
  /** Request lines as they came, with what they carry as Proxy-Authorization: `CONNECT sink.test:443 none`. */
  readonly asked: readonly string[];
  /** Connections that it was ever given. */
  readonly connections: number;
  /** The status that everything is refused with; undefined: nothing is. */
  refuseWith: number | undefined;
  close(): Promise<void>;
}

/**
 * Starts a proxy that reaches every name and port at this port of 127.0.0.1, by CONNECT and by absolute URLs; spoken
 * to over TLS where a certificate is given.
 */
export async function startForwardProxy(toPort: number, certificate?: KeyAndCert): Promise<ForwardProxy> {
  const asked: string[] = [];
  const sockets = new Set<Duplex>();
  const note = ({ method, url, headers }: IncomingMessage) =>
    void asked.push(`${method} ${url} ${headers['proxy-authorization'] ?? 'none'}`);

  const answer = (incoming: IncomingMessage, response: ServerResponse) => {
    note(incoming);
    if (proxy.refuseWith === undefined) forward(incoming, response, toPort);
    else response.writeHead(proxy.refuseWith).end();
  };
  let connections = 0;
  // It would take HTTP/2 from whoever offers it, and speaks HTTP/1.1 alone: nobody here may offer it.
  const secure = { ...certificate, ALPNProtocols: ['h2', 'http/1.1'] };
  const server = certificate === undefined ? createServer(answer) : createSecureServer(secure, answer);
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
  });
  server.on('connect', (incoming: IncomingMessage, socket: Duplex) => {
    note(incoming);
    socket.on('error', () => {});
    if (proxy.refuseWith !== undefined) return void socket.end(`HTTP/1.1 ${proxy.refuseWith} Refused\r\n\r\n`);
    const onward = connect(toPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    sockets.add(onward);
    onward.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const proxy: ForwardProxy = {
    url: `${certificate === undefined ? 'http' : 'https'}://localhost:${(server.address() as AddressInfo).port}`,
    asked,
    get connections() {
      return connections;
    },
    refuseWith: undefined,
    async close() {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
  return proxy;
}

function forward(incoming: IncomingMessage, response: ServerResponse, toPort: number): void {
  const { pathname, search } = new URL(incoming.url ?? '');
  const { 'proxy-authorization': _, ...headers } = incoming.headers;
  const onward = request(
    { host: '127.0.0.1', port: toPort, method: incoming.method, path: pathname + search, headers },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  incoming.pipe(onward);
}
