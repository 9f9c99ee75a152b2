import type { Log } from '../../log.ts';
import type { Measure } from '../../metrics/own.ts';
import { checkPair, type KeyAndCert } from '../check-pem.ts';
import { watchFiles } from '../watched-files.ts';
import { selfSignedCertificate } from './secure-self-signed.ts';

interface ServerCertificateOptions {
  /** Both or neither; neither: a certificate of our own. */
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  /** The name that our own certificate speaks for besides `localhost`. */
  readonly hostname: string;
  readonly measure: Measure;
  readonly log: Log;
  /** Milliseconds since the epoch; default Date.now. */
  readonly now?: () => number;
  /** A monotonic clock in ms; default performance.now. */
  readonly monotonicMs?: () => number;
}

const flags = { cert: '--metrics-cert-file', key: '--metrics-key-file' };
const dayMs = 24 * 60 * 60 * 1000;

/** Ours is good for a year, and made anew a month before. */
const own = { goodMs: 365 * dayMs, keptMs: 335 * dayMs };

/** Clocks differ; so much before now it is good already. */
const skewMs = 60 * 60 * 1000;

/**
 * The certificate to serve with at the moment, the same object as long as it stays: that of the files, read again as
 * they rotate, else one made now. Throws one sentence when the files are no good.
 */
export function serverCertificate(options: ServerCertificateOptions): () => KeyAndCert {
  const { certFile, keyFile, measure, log, monotonicMs = () => performance.now() } = options;
  if (certFile === undefined || keyFile === undefined) return ownCertificate(options);
  const files = [
    { flag: flags.cert, path: certFile },
    { flag: flags.key, path: keyFile },
  ];
  return watchFiles({ credential: 'metrics-tls', files, read: readPair, measure, log, now: monotonicMs }).current;
}

function readPair(texts: Readonly<Record<string, string>>): KeyAndCert {
  const { [flags.cert]: cert = '', [flags.key]: key = '' } = texts;
  checkPair(flags, { cert, key });
  return { cert, key };
}

function ownCertificate({ hostname, now = Date.now }: ServerCertificateOptions): () => KeyAndCert {
  const make = () => {
    const madeMs = now();
    const validity = { fromMs: madeMs - skewMs, untilMs: madeMs + own.goodMs };
    return { madeMs, pair: selfSignedCertificate({ names: [hostname, 'localhost'], ...validity }) };
  };
  let made = make();
  return () => {
    if (now() - made.madeMs >= own.keptMs) made = make();
    return made.pair;
  };
}
