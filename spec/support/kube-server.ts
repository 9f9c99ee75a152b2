import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** A server of a spec's own on loopback, with every request it got. */
export interface KubeServer {
  readonly url: string;
  readonly requests: readonly { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
  /** Connections that are open now. */
  readonly sockets: ReadonlySet<Socket>;
  close(): Promise<void>;
}

interface Options {
  readonly answer: RequestListener;
  /** Serves TLS with these. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** Serves `answer` on a free port; a request's body has been read by then. */
export async function serveKube({ answer, tls }: Options): Promise<KubeServer> {
  const requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const sockets = new Set<Socket>();
  const listener: RequestListener = async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
    answer(request, response);
  };
  const server: Server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    requests,
    sockets,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
