import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { KeyAndCert } from '../check-pem.ts';

interface SelfSignedOptions {
  /** DNS names that it speaks for, besides the loopback addresses; the first is also its subject. */
  readonly names: readonly [string, ...string[]];
  /** Milliseconds since the epoch; seconds count. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * A new key (P-256) and a certificate of a server that it signs itself, as PEM.
 *
 * Node reads X.509 and writes none. The bytes are DER as RFC 5280, section 4.1, lays them out.
 */
export function selfSignedCertificate(options: SelfSignedOptions): KeyAndCert {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = toBeSigned(options, publicKey);
  const signature = bitString(sign('sha256', body, privateKey));
  return {
    cert: pem(sequence(body, ecdsaWithSha256, signature)),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

const tags = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  id: 0x06,
  utf8: 0x0c,
  sequence: 0x30,
  set: 0x31,
};

/** A value with its tag and its length in front. */
function value(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Buffer[]) => value(tags.sequence, ...parts);
const bitString = (bytes: Buffer) => value(tags.bits, Buffer.from([0]), bytes);
const id = (hex: string) => value(tags.id, Buffer.from(hex, 'hex'));

/** Object identifiers as DER has them: 1.2.840.10045.4.3.2, 2.5.4.3, 2.5.29.17 and so on. */
const ids = {
  ecdsaWithSha256: id('2a8648ce3d040302'),
  commonName: id('550403'),
  subjectAltName: id('551d11'),
  keyUsage: id('551d0f'),
  extendedKeyUsage: id('551d25'),
  serverAuth: id('2b06010505070301'),
};
const ecdsaWithSha256 = sequence(ids.ecdsaWithSha256);
const loopback = ['7f000001', '00000000000000000000000000000001'];

function toBeSigned({ names, fromMs, untilMs }: SelfSignedOptions, publicKey: KeyObject): Buffer {
  const [first] = names;
  // A common name has at most 64 characters.
  const commonName = value(tags.utf8, Buffer.from(first.slice(0, 64)));
  const subject = sequence(value(tags.set, sequence(ids.commonName, commonName)));
  return sequence(
    value(0xa0, value(tags.integer, Buffer.from([2]))),
    value(tags.integer, serialNumber()),
    ecdsaWithSha256,
    subject,
    sequence(time(fromMs), time(untilMs)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    value(0xa3, sequence(...extensions(names))),
  );
}

/** 16 random bytes that are a positive number without a zero in front. */
function serialNumber(): Buffer {
  const [first = 0, ...rest] = randomBytes(16);
  return Buffer.from([(first & 0x3f) | 0x40, ...rest]);
}

function extensions(names: readonly string[]): Buffer[] {
  const dns = names.map((name) => value(0x82, Buffer.from(name)));
  const addresses = loopback.map((hex) => value(0x87, Buffer.from(hex, 'hex')));
  const critical = value(tags.boolean, Buffer.from([0xff]));
  // The first bit of the usages, digitalSignature; seven bits of the byte are not used.
  const digitalSignature = value(tags.bits, Buffer.from([7, 0x80]));
  return [
    sequence(ids.subjectAltName, value(tags.octets, sequence(...dns, ...addresses))),
    sequence(ids.keyUsage, critical, value(tags.octets, digitalSignature)),
    sequence(ids.extendedKeyUsage, value(tags.octets, sequence(ids.serverAuth))),
  ];
}

/** Two digits of the year up to 2049, four from then on: section 4.1.2.5. */
function time(atMs: number): Buffer {
  const digits = new Date(atMs).toISOString().replaceAll(/\D/g, '').slice(0, 14);
  return digits < '2050' ? value(0x17, Buffer.from(`${digits.slice(2)}Z`)) : value(0x18, Buffer.from(`${digits}Z`));
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
