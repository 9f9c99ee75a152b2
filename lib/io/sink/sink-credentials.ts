import type { Log } from '../../log.ts';
import type { Measure } from '../../metrics/own.ts';
import { checkCertificates, checkPair } from '../check-pem.ts';
import { type NamedFile, type WatchedFiles, watchFiles } from '../watched-files.ts';

/** What TLS to the sink is made with, as PEM. */
export interface SinkTls {
  /** Undefined: the authorities that Node trusts. */
  readonly ca?: string;
  /** Both or neither. */
  readonly cert?: string;
  readonly key?: string;
}

/** How the sink knows us, and we it; asked at each post, from memory. */
export interface SinkCredentials {
  /** The value of the Authorization header; undefined: what the URL says. */
  authorization(): string | undefined;
  /** The same, read from its file whatever the file's time says. */
  freshAuthorization(): string | undefined;
  /** The same object as long as nothing changes. */
  tls(): SinkTls;
}

/** Neither a header nor files: what the URL says, and the authorities that Node trusts. */
export const noCredentials: SinkCredentials = (() => {
  const tls = {};
  return { authorization: () => undefined, freshAuthorization: () => undefined, tls: () => tls };
})();

export interface SinkFiles {
  readonly sinkAuthorizationFile?: string | undefined;
  readonly sinkCaFile?: string | undefined;
  /** Both or neither. */
  readonly sinkClientCertFile?: string | undefined;
  readonly sinkClientKeyFile?: string | undefined;
}

interface Around {
  readonly measure: Measure;
  readonly log: Log;
  /** A monotonic clock in ms; default performance.now. */
  readonly now?: () => number;
}

const flags = {
  authorization: '--sink-authorization-file',
  ca: '--sink-ca-file',
  cert: '--sink-client-cert-file',
  key: '--sink-client-key-file',
};

/** RFC 9110, section 11.6.2, as far as it must not break a request: a scheme, and something behind it or not. */
const headerValue = /^[\x21-\x7e]([\x20-\x7e]{0,8190}[\x21-\x7e])?$/;

/** The credentials in these files, read again as they rotate. Throws one sentence when one of them is no good. */
export function sinkCredentials(files: SinkFiles, { measure, log, now = () => performance.now() }: Around) {
  const around = { measure, log, now };
  const authorization = watchAuthorization(files, around);
  const tls = watchTls(files, around);
  const none = noCredentials.tls();
  return {
    authorization: () => authorization?.current(),
    freshAuthorization: () => authorization?.refresh(),
    tls: () => tls?.current() ?? none,
  } satisfies SinkCredentials;
}

function watchAuthorization(
  { sinkAuthorizationFile: path }: SinkFiles,
  around: Required<Around>,
): WatchedFiles<string> | undefined {
  if (path === undefined) return undefined;
  const files = [{ flag: flags.authorization, path }];
  return watchFiles({ ...around, credential: 'sink-authorization', files, read: readAuthorization });
}

function readAuthorization(texts: Readonly<Record<string, string>>): string {
  const value = (texts[flags.authorization] ?? '').trim();
  if (headerValue.test(value)) return value;
  const came = value === '' ? 'nothing' : `${value.length} characters that are not`;
  throw new Error(`${flags.authorization}: expected one line of at most 8192 printable ASCII characters, got ${came}`);
}

function watchTls(files: SinkFiles, around: Required<Around>): WatchedFiles<SinkTls> | undefined {
  const { sinkCaFile, sinkClientCertFile, sinkClientKeyFile } = files;
  const named = [
    namedFile(flags.ca, sinkCaFile),
    namedFile(flags.cert, sinkClientCertFile),
    namedFile(flags.key, sinkClientKeyFile),
  ].flat();
  return named.length === 0
    ? undefined
    : watchFiles({ ...around, credential: 'sink-tls', files: named, read: readTls });
}

function namedFile(flag: string, path: string | undefined): readonly NamedFile[] {
  return path === undefined ? [] : [{ flag, path }];
}

function readTls(texts: Readonly<Record<string, string>>): SinkTls {
  const { [flags.ca]: ca, [flags.cert]: cert, [flags.key]: key } = texts;
  if (ca !== undefined) checkCertificates(flags.ca, ca);
  const trust = ca === undefined ? {} : { ca };
  if (cert === undefined || key === undefined) return trust;
  checkPair(flags, { cert, key });
  return { ...trust, cert, key };
}
