import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

/** A certificate, with what chains it to its authority behind it, and its key, as PEM. */
export interface KeyAndCert {
  readonly cert: string;
  readonly key: string;
}

const certificates = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Throws one sentence that names the flag unless the text is certificates in PEM: TLS itself skips what is none. */
export function checkCertificates(flag: string, text: string): void {
  const blocks = text.match(certificates) ?? [];
  if (blocks.length === 0 || !blocks.every(isCertificate)) {
    throw new Error(`${flag}: expected certificates in PEM, got something else`);
  }
}

/** Throws one sentence that names the flags unless the key is that of the first certificate. */
export function checkPair(flags: { readonly cert: string; readonly key: string }, { cert, key }: KeyAndCert): void {
  checkCertificates(flags.cert, cert);
  try {
    createSecureContext({ cert, key });
  } catch {
    // The cause is left out: it is of no use, and comes from where the key is read.
    throw new Error(
      `${flags.key}: expected the key of the certificate in ${flags.cert}, in PEM and not encrypted, got another or none`,
    );
  }
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0;
  } catch {
    return false;
  }
}
