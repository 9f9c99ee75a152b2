import { type buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { SinkTls } from './sink-credentials.ts';

export interface ConnectionsOptions {
  /** Of the sink. */
  readonly origin: string;
  /** Undefined: directly. */
  readonly proxy: URL | undefined;
  readonly tls: SinkTls;
  readonly maxConnections: number;
  /** For a connection to stand, and for a proxy to answer. */
  readonly timeoutMs: number;
}

/**
 * Kept connections over HTTP/1.1, directly or through a proxy: a tunnel to an https sink, forwarded requests to an
 * http one. The authorities are asked about the proxy's certificate as well; the client certificate is the sink's alone.
 */
export function openConnections({ origin, proxy, tls, maxConnections, timeoutMs }: ConnectionsOptions): Dispatcher {
  // Its own limits are off: one deadline covers the whole attempt.
  const pool = { connections: maxConnections, allowH2: false, headersTimeout: 0, bodyTimeout: 0 };
  const connect = { ...tls, timeout: timeoutMs, allowH2: false } as buildConnector.BuildOptions;
  if (proxy === undefined) return new Pool(origin, { ...pool, connect });
  const { ca } = tls;
  return new ProxyAgent({
    ...pool,
    uri: proxy.href,
    requestTls: connect,
    // Said once more: a limit of the pool does not reach a connector.
    proxyTls: {
      timeout: timeoutMs,
      allowH2: false,
      ...(ca === undefined ? {} : { ca }),
    } as buildConnector.BuildOptions,
    // The package hands its limits on to tunnels alone.
    factory: (origin, options) => new Pool(origin, { ...options, ...pool }),
    clientFactory: (origin, options) =>
      new Pool(origin, { ...options, connections: maxConnections, allowH2: false, headersTimeout: timeoutMs }),
  });
}
