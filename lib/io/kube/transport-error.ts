import { KubeError, type KubeFailure } from '../../kube/api.ts';
import { type Asked, asWords } from '../../kube/failure.ts';
import { codeOf } from '../error-code.ts';

const untrusted = /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT)/;

const reasons: readonly { readonly code: RegExp; readonly reason: string; readonly failure?: KubeFailure }[] = [
  { code: /^ECONNREFUSED$/, reason: 'connection refused' },
  { code: /^(ENOTFOUND|EAI_AGAIN)$/, reason: 'its name cannot be resolved' },
  { code: /^(EHOSTUNREACH|ENETUNREACH)$/, reason: 'no route to it' },
  { code: /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, reason: 'no connection in time' },
  { code: /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/, reason: 'no answer in time' },
  { code: /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, reason: 'it closed the connection' },
  { code: /^UND_ERR_(DESTROYED|CLOSED)$/, reason: 'we are shutting down' },
  { code: untrusted, reason: 'TLS: its certificate is not trusted' },
  { code: /^(EPROTO|ERR_SSL_|ERR_TLS_|ERR_OSSL_)/, reason: 'TLS: no handshake' },
  { code: /^(HPE_|HTTPParserError)/, reason: 'what it says is no HTTP', failure: 'malformed' },
];

/**
 * What became of a request that got no answer, as a KubeError: `unreachable`, or `malformed` where something
 * other than HTTP came. One that is a KubeError already passes.
 *
 * `origin` is the API server's scheme, host and port; it stands in the sentence.
 */
export function transportError(asked: Asked, origin: string, error: unknown): KubeError {
  if (error instanceof KubeError) return error;
  const code = codeOf(error) || parserErrorOf(error);
  const known = reasons.find((row) => row.code.test(code));
  const why = `${known?.reason ?? 'the connection failed'}${code === '' ? '' : ` (${code})`}`;
  const sentence = `the API server at ${origin} gives no answer to ${asWords(asked)}: ${why}`;
  return new KubeError(known?.failure ?? 'unreachable', sentence, { cause: error });
}

// Undici's parser gives some of its errors no code.
function parserErrorOf(error: unknown): string {
  return error instanceof Error && error.name === 'HTTPParserError' ? error.name : '';
}

/** Whether a connection failed because the server's certificate is signed by none that we trust, or out of date. */
export function isUntrusted(error: unknown): boolean {
  return untrusted.test(codeOf(error));
}
