import axios, { type AxiosInstance } from 'axios';
import axiosRetry from 'axios-retry';
import type { Dispatcher } from 'undici';
import { type ConnectionsOptions, openConnections } from './open-connections.ts';
import type { SinkTls } from './sink-credentials.ts';
import type { Target } from './target.ts';
import { undiciAdapter } from './undici-adapter.ts';

/** One sink URL with its connections, good as long as neither the URL nor what TLS is made with changes. */
export interface Line {
  readonly url: string;
  readonly target: Target;
  readonly tls: SinkTls;
  readonly client: AxiosInstance;
  /** Closes every connection; what is under way ends as it would. */
  close(): Promise<void>;
}

interface LineOptions extends ConnectionsOptions {
  readonly url: string;
  readonly target: Target;
  /** Takes the error code of each try that is followed by another in the same attempt. */
  readonly onRetry: (code: string) => void;
}

/** In-line tries after a kept connection turned out to be dead. Long waits belong to the queue. */
const inLineTries = 2;
const deadConnection = /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/;

/** A line to a sink; connections are opened as posts need them. */
export function openLine({ url, target, onRetry, ...connections }: LineOptions): Line {
  const dispatcher = openConnections(connections);
  const client = createClient(dispatcher, onRetry);
  return { url, target, tls: connections.tls, client, close: () => dispatcher.close() };
}

function createClient(dispatcher: Dispatcher, onRetry: LineOptions['onRetry']): AxiosInstance {
  const client = axios.create({
    adapter: undiciAdapter(dispatcher),
    validateStatus: () => true,
    // The default would send the whole buffer behind a view.
    transformRequest: [(data) => data],
    transformResponse: [],
    maxRedirects: 0,
    proxy: false,
  });
  for (const defaults of [client.defaults.headers.common, client.defaults.headers.post]) {
    for (const name of Object.keys(defaults)) delete defaults[name];
  }
  axiosRetry(client, {
    retries: inLineTries,
    retryCondition: (error) => deadConnection.test(error.code ?? ''),
    retryDelay: () => 0,
    onRetry: (_, error) => onRetry(error.code ?? ''),
  });
  return client;
}
