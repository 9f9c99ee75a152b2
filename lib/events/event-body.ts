import type { ResourceType } from '../kube/api.ts';
import { closeBrace } from '../run/json-bytes.ts';
import { kindNames } from '../run/kind.ts';
import type { Outline } from '../run/outline.ts';
import type { Observed, Resource } from '../run/run.ts';

const encoder = new TextEncoder();

/**
 * The body of a run's events, JSON in UTF-8: one root key, the whole object under it, without its managedFields.
 *
 * Copied from the bytes that arrived where they say of which version and kind they are; else parsed and written anew.
 * What is copied has been walked to its end and not parsed: a server that wrote no JSON inside of it would be told on.
 * Objects in a list need not carry apiVersion and kind; a body has both.
 */
export function eventBody(
  observed: Pick<Observed, 'run' | 'resource' | 'outline'>,
  { group, version }: Pick<ResourceType, 'group' | 'version'>,
): Uint8Array {
  const { run, outline } = observed;
  const told = { apiVersion: `${group}/${version}`, kind: run.kind };
  const { bodyKey } = kindNames[run.kind];
  if (outline?.apiVersion === told.apiVersion && outline.kind === told.kind) return copied(outline, bodyKey);
  return encoder.encode(JSON.stringify({ [bodyKey]: { ...told, ...without(observed.resource) } }));
}

function copied({ bytes, pieces }: Outline, bodyKey: string): Uint8Array {
  const head = encoder.encode(`{"${bodyKey}":`);
  const length = pieces.reduce((sum, index, n) => (n % 2 === 0 ? sum - index : sum + index), head.length + 1);
  const body = new Uint8Array(length);
  body.set(head);
  let at = head.length;
  for (let n = 0; n < pieces.length; n += 2) {
    const [start = 0, end = 0] = [pieces[n], pieces[n + 1]];
    body.set(new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start), at);
    at += end - start;
  }
  body[at] = closeBrace;
  return body;
}

function without({ apiVersion: _apiVersion, kind: _kind, ...rest }: Resource): object {
  const metadata = typeof rest.metadata === 'object' && rest.metadata !== null ? rest.metadata : {};
  const { managedFields: _managedFields, ...kept } = metadata as Resource;
  return { ...rest, metadata: kept };
}
