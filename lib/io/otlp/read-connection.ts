import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { checkCertificates } from '../check-pem.ts';
import { codeOf } from '../error-code.ts';
import { type Endpoint, readEndpoint } from './read-endpoint.ts';
import { readPairs } from './read-pairs.ts';
import type { OtlpTarget, Signal } from './target.ts';
import { type Variable, variablesOf } from './variables-of.ts';

/** Everything an OTLP exporter needs to know about its connection. */
export interface Connection extends Endpoint {
  readonly headers: Readonly<Record<string, string>>;
  readonly gzip: boolean;
  /** PEM, as read. Undefined: the authorities that Node trusts. */
  readonly ca: Buffer | undefined;
  /** PEM of our own key and certificate: both or neither. */
  readonly key: Buffer | undefined;
  readonly cert: Buffer | undefined;
}

/**
 * Reads endpoint, headers and certificates, each file once.
 *
 * A variable of the signal (`OTEL_EXPORTER_OTLP_METRICS_HEADERS`) goes before that of all signals
 * (`OTEL_EXPORTER_OTLP_HEADERS`); headers of both are put together. Throws one sentence about the first thing that
 * cannot be: it names the variable and the file, never what is in them.
 */
export function readConnection(signal: Signal, target: OtlpTarget): Connection {
  const endpoint = readEndpoint(signal, target);
  const variable = variablesOf(signal, target.env);
  const headers = { ...readPairs(variable('HEADERS').shared), ...readPairs(variable('HEADERS').own) };
  const gzip = readCompression(variable('COMPRESSION').first);
  if (!endpoint.tls) return { ...endpoint, headers, gzip, ca: undefined, key: undefined, cert: undefined };
  const ca = readPem(variable('CERTIFICATE').first);
  const key = readPem(variable('CLIENT_KEY').first);
  const cert = readPem(variable('CLIENT_CERTIFICATE').first);
  if ((key === undefined) !== (cert === undefined)) {
    throw new Error('OTEL_EXPORTER_OTLP_CLIENT_KEY and _CLIENT_CERTIFICATE: expected both or neither, got one');
  }
  // What is no certificate is left out without a word otherwise, and then nothing is trusted.
  if (ca !== undefined) checkCertificates('OTEL_EXPORTER_OTLP_CERTIFICATE', ca.toString());
  checkPair(key, cert);
  return { ...endpoint, headers, gzip, ca, key, cert };
}

function readCompression(variable: Variable | undefined): boolean {
  if (variable === undefined || variable.text === 'none') return false;
  if (variable.text === 'gzip') return true;
  throw new Error(`${variable.name}: expected gzip | none, got ${JSON.stringify(variable.text.slice(0, 40))}`);
}

function readPem(variable: Variable | undefined): Buffer | undefined {
  if (variable === undefined) return undefined;
  const wanted = `${variable.name}: expected a file in PEM at ${variable.text}`;
  const pem = read(variable.text, wanted);
  if (!pem.includes('-----BEGIN ')) throw new Error(`${wanted}, got something else`);
  return pem;
}

function read(file: string, wanted: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new Error(`${wanted}, got none (${codeOf(cause) || 'unreadable'})`, { cause });
  }
}

function checkPair(key: Buffer | undefined, cert: Buffer | undefined): void {
  try {
    createSecureContext({ key, cert });
  } catch (cause) {
    const wanted = 'expected the key of the client certificate, got another or none';
    throw new Error(`OTEL_EXPORTER_OTLP_CLIENT_KEY: ${wanted}`, { cause });
  }
}
