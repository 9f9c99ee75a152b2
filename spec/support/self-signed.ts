import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A key and the certificate that speaks for it, as PEM. */
export interface KeyAndCert {
  readonly key: string;
  readonly cert: string;
}

/** From when until when a certificate is valid, in ms since the epoch. */
interface Validity {
  readonly fromMs: number;
  readonly untilMs: number;
}

const dayMs = 86_400_000;

/**
 * A certificate of its own authority for a DNS name and 127.0.0.1, valid for a day around now by default.
 *
 * Made anew each time, so that no key lies in the repository. The bytes are DER as RFC 5280, section 4.1 lays out.
 */
export function selfSigned(name: string, validity: Partial<Validity> = {}): KeyAndCert {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signed = certificateInfo(name, publicKey, {
    fromMs: Date.now() - dayMs,
    untilMs: Date.now() + dayMs,
    ...validity,
  });
  const cert = sequence(signed, ecdsaWithSha256, bits(sign('sha256', signed, privateKey)));
  const base64 = cert.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  };
}

const der = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const long = Buffer.from(body.length.toString(16).padStart(4, '0'), 'hex');
  const length = body.length < 128 ? Buffer.from([body.length]) : Buffer.concat([Buffer.from([0x82]), long]);
  return Buffer.concat([Buffer.from([tag]), length, body]);
};
const sequence = (...parts: readonly Buffer[]) => der(0x30, ...parts);
const bits = (content: Buffer) => der(0x03, Buffer.from([0]), content);
const octets = (content: Buffer) => der(0x04, content);
const objectId = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));

const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));
const commonName = '550403';
const subjectAltName = '551d11';

function certificateInfo(name: string, publicKey: KeyObject, { fromMs, untilMs }: Validity): Buffer {
  const subject = sequence(der(0x31, sequence(objectId(commonName), der(0x0c, Buffer.from(name)))));
  const validity = sequence(utcTime(fromMs), utcTime(untilMs));
  const names = sequence(der(0x82, Buffer.from(name)), der(0x87, Buffer.from([127, 0, 0, 1])));
  const extensions = der(0xa3, sequence(sequence(objectId(subjectAltName), octets(names))));
  const version3 = der(0xa0, der(0x02, Buffer.from([2])));
  const serial = der(0x02, Buffer.from([1]));
  const key = publicKey.export({ type: 'spki', format: 'der' });
  return sequence(version3, serial, ecdsaWithSha256, subject, validity, subject, key, extensions);
}

function utcTime(atMs: number): Buffer {
  const digits = new Date(atMs).toISOString().replace(/\D/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}
