import type { RequestListener, ServerOptions } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { KeyAndCert } from '../check-pem.ts';

/** A handshake is four small messages. */
const handshakeTimeout = 5_000;

/**
 * A server with TLS 1.2 or later, HTTP/1.1. The certificate is asked for before every handshake: a rotated one
 * serves the next connection, while those that stand keep theirs.
 */
export function createSecureServer(
  certificate: () => KeyAndCert,
  options: ServerOptions,
  listener: RequestListener,
): Server {
  let used = certificate();
  const server = createServer({ ...options, ...used, handshakeTimeout }, listener);
  // Before the listener of TLS itself, which takes the context as it is then.
  server.prependListener('connection', () => {
    const present = certificate();
    if (present === used) return;
    used = present;
    server.setSecureContext(present);
  });
  return server;
}
