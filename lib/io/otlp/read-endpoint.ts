import type { OtlpTarget, Signal } from './target.ts';

/** Where a connection goes. */
export interface Endpoint {
  /** `http://host:port` or `https://host:port`, with the signal's path where the protocol is HTTP. */
  readonly url: string;
  readonly tls: boolean;
}

const pattern = /^(https?:\/\/)?((?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):\d+)$/;
const paths: Readonly<Record<Signal, string>> = { metrics: '/v1/metrics', traces: '/v1/traces' };
const expected = 'expected host:port, http://host:port or https://host:port';

/** Reads an endpoint; throws one sentence that names the key when it is none. */
export function readEndpoint(signal: Signal, { protocol, endpoint, bareEndpoint }: OtlpTarget): Endpoint {
  const key = signal === 'metrics' ? 'metrics-endpoint' : 'tracing-endpoint';
  if (endpoint === undefined) throw new Error(`${key}: ${expected} because the protocol is ${protocol}, got nothing`);
  const [, scheme, authority = ''] = pattern.exec(endpoint.trim()) ?? [];
  const tls = scheme === undefined ? bareEndpoint === 'tls' : scheme === 'https://';
  const url = `${tls ? 'https' : 'http'}://${authority}`;
  if (authority === '' || !URL.canParse(url)) throw new Error(`${key}: ${expected}, got ${shown(endpoint)}`);
  return { url: protocol === 'grpc' ? url : url + paths[signal], tls };
}

/** What has an @ may hold a password. */
function shown(endpoint: string): string {
  return endpoint.includes('@') ? 'one with a user in it' : JSON.stringify(endpoint.slice(0, 80));
}
