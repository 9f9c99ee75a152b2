import { stampOf } from '../watched-files.ts';
import { readEndpoint } from './read-endpoint.ts';
import type { OtlpTarget, Signal } from './target.ts';
import { variablesOf } from './variables-of.ts';

/** A target before it is known to be one: the settings may ask for no push at all. */
interface Asked extends Omit<OtlpTarget, 'protocol'> {
  readonly protocol: string;
}

const suffixes = ['CERTIFICATE', 'CLIENT_KEY', 'CLIENT_CERTIFICATE'];

/**
 * Changes whenever the certificate files of a target may have: also when one that was missing appears.
 *
 * Undefined where none is read: without TLS, and where no variable names a file.
 */
export function certificateStamp(signal: Signal, asked: Asked): string | undefined {
  const target = pushed(asked);
  if (target === undefined || !speaksTls(signal, target)) return undefined;
  const variable = variablesOf(signal, target.env);
  const files = suffixes.flatMap((suffix) => variable(suffix).first ?? []).map(({ text }) => ({ path: text }));
  return files.length === 0 ? undefined : stampOf(files);
}

function pushed({ protocol, ...rest }: Asked): OtlpTarget | undefined {
  return protocol === 'grpc' || protocol === 'http/protobuf' ? { ...rest, protocol } : undefined;
}

function speaksTls(signal: Signal, target: OtlpTarget): boolean {
  try {
    return readEndpoint(signal, target).tls;
  } catch {
    // Whoever opens the connection says why.
    return false;
  }
}
