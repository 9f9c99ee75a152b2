import { buildConnector, Pool } from 'undici';
import type { KubeConnection, KubeTls } from './kube-connection.ts';
import { isUntrusted } from './transport-error.ts';

/** The connections to one API server. */
interface KubePools {
  readonly calls: Pool;
  /** Apart from the calls, one connection a watch: however many there are, a call never waits for one. */
  readonly watches: Pool;
  /** Closes every connection at once; requests under way fail. */
  close(): Promise<void>;
}

interface Options {
  readonly connection: Pick<KubeConnection, 'serverUrl' | 'tls' | 'refresh'>;
  readonly connectTimeoutMs: number;
  /** Connections for calls; more wait in line. */
  readonly maxCallConnections: number;
}

/** Pools over HTTP/1.1 with keep-alive. TLS options are asked for with every new connection. */
export function createKubePools({ connection, connectTimeoutMs, maxCallConnections }: Options): KubePools {
  const { origin } = new URL(connection.serverUrl);
  const connect = rotatingConnector(connection, connectTimeoutMs);
  // A kube-apiserver closes what is idle for 90 s; closing first spares a request on a dying connection.
  const shared = { connect, allowH2: false, keepAliveTimeout: 60_000 };
  const calls = new Pool(origin, { ...shared, connections: maxCallConnections });
  const watches = new Pool(origin, shared);
  return {
    calls,
    watches,
    async close() {
      await Promise.all([calls.destroy(), watches.destroy()]);
    },
  };
}

/** A server that is not trusted may have been given another certificate: the CA is read anew for the next try. */
function rotatingConnector(connection: Options['connection'], timeout: number): buildConnector.connector {
  let last: { readonly from: KubeTls; readonly connect: buildConnector.connector } | undefined;
  const connectorOf = (from: KubeTls) => {
    if (last?.from !== from) {
      // Half of the 60 s after which load balancers forget an idle connection; client-go's value too.
      const options = { ...from, timeout, allowH2: false, keepAlive: true, keepAliveInitialDelay: 30_000 };
      last = { from, connect: buildConnector(options as buildConnector.BuildOptions) };
    }
    return last.connect;
  };
  return (options, callback) => {
    const connected: buildConnector.Callback = (...result) => {
      if (isUntrusted(result[0])) connection.refresh();
      callback(...result);
    };
    connection.tls().then(
      (from) =>
        connectorOf(from)(
          from.servername === undefined ? options : { ...options, servername: from.servername },
          connected,
        ),
      (error: Error) => callback(error, null),
    );
  };
}
