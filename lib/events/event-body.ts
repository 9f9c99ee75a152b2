import type { ResourceType } from '../kube/api.ts';
import { kindNames } from '../run/kind.ts';
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
  if (outline?.apiVersion === told.apiVersion && outline.kind === told.kind) {
    return joined([encoder.encode(`{"${bodyKey}":`), ...outline.pieces, encoder.encode('}')]);
  }
  return encoder.encode(JSON.stringify({ [bodyKey]: { ...told, ...without(observed.resource) } }));
}

// Not Buffer.concat: a body may wait for hours, and would keep alive what stands beside it in Node's pool.
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const body = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return body;
}

function without({ apiVersion: _apiVersion, kind: _kind, ...rest }: Resource): object {
  const metadata = typeof rest.metadata === 'object' && rest.metadata !== null ? rest.metadata : {};
  const { managedFields: _managedFields, ...kept } = metadata as Resource;
  return { ...rest, metadata: kept };
}
