import type { Attempt } from '../../events/outgoing.ts';

type Result = Extract<Attempt, { outcome: 'failed' }>['result'];

/** What the code of an error says; the first row that matches decides. */
const rows: readonly { readonly codes: RegExp; readonly result: Result; readonly problem: string }[] = [
  {
    codes:
      /^(ERR_TLS|ERR_SSL|EPROTO$|UNABLE_TO_|CERT_)|SELF_SIGNED|_CERT_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE/,
    result: 'tls',
    problem: 'the TLS handshake failed',
  },
  {
    codes: /^(ECONN|ENOTFOUND$|EAI_|EHOST|ENET|EADDR|EACCES$|ETIMEDOUT$|UND_ERR_CONNECT_TIMEOUT$)/,
    result: 'unreachable',
    problem: 'no connection',
  },
  // A proxy that answers CONNECT with anything but 200 aborts the request; one that wants a password for a plain
  // request makes it an invalid argument.
  {
    codes: /^UND_ERR_(ABORTED|INVALID_ARG|PRX_CONN)$/,
    result: 'unreachable',
    problem: 'the proxy gives no way to the sink',
  },
  { codes: /^UND_ERR_PRX_TLS$/, result: 'tls', problem: 'the TLS handshake with the proxy failed' },
  { codes: /^UND_ERR_SOCKET$|^EPIPE$/, result: 'broken', problem: 'the connection ended before the answer' },
  { codes: /./, result: 'broken', problem: 'the answer was no HTTP' },
];

/** What an attempt came to that got no answer, from the code of its error: never its message, which may hold the URL. */
export function failedPost(code: string): Attempt {
  const { result, problem } = rows.find(({ codes }) => codes.test(code)) ?? { result: 'broken', problem: 'no answer' };
  return {
    outcome: 'failed',
    result,
    problem: code === '' ? problem : `${problem} (${code})`,
    retryAfterMs: undefined,
  };
}
