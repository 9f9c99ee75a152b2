import { apiErrors } from './api-error.ts';
import { parseSelector, type Selector } from './selector.ts';
import { apiVersionOf, type ServedType } from './served-types.ts';
import type { Json, StoredObject } from './stored-object.ts';
import type { VersionedStore } from './versioned-store.ts';

/** Where a list goes on: opaque to clients. `revision` -1 goes on at the present, inconsistently. */
interface Token {
  readonly revision: number;
  readonly from: string;
}

interface ObjectList {
  readonly items: readonly StoredObject[];
  readonly metadata: Json;
}

/**
 * One page of a list, with the meanings of limit, continue, resourceVersion and resourceVersionMatch that a
 * kube-apiserver gives them. A whole list, all its pages, shows one revision.
 *
 * Throws 400 and 422 on parameters that contradict each other, 410 when the revision is compacted, 504 when it
 * lies in the future.
 */
export function listObjects(
  store: VersionedStore,
  type: ServedType,
  namespace: string,
  query: URLSearchParams,
): ObjectList {
  const selector = parseSelector(type, query.get('labelSelector') ?? '', query.get('fieldSelector') ?? '');
  const limit = limitOf(query);
  const start = startOf(store, query, limit);
  const { items, next, remaining } = page(store, type, namespace, { ...start, selector, limit });
  const token = next === undefined ? {} : { continue: encode({ revision: start.revision, from: next }) };
  const count = next === undefined || selector !== undefined ? {} : { remainingItemCount: remaining };
  return { items, metadata: { resourceVersion: String(start.revision), ...token, ...count } };
}

/**
 * A list as the body of an answer, its keys in the order of kube-apiserver's; typed resources leave out the kind of each
 * item, custom ones do not.
 */
export function listBody(type: ServedType, { items, metadata }: ObjectList): Json {
  const apiVersion = apiVersionOf(type);
  const kind = `${type.kind}List`;
  if (type.custom) return { apiVersion, items, kind, metadata };
  const bare = ({ apiVersion: _version, kind: _kind, ...rest }: StoredObject): Json => rest;
  return { kind, apiVersion, metadata, items: items.map(bare) };
}

/** A resourceVersion parameter as a number; 0 for ''. Throws a 400 on anything but digits. */
export function parseVersion(text: string): number {
  if (!/^\d*$/.test(text))
    throw apiErrors.badRequest(`invalid resource version: resourceVersion: Invalid value: "${text}"`);
  return Number(text);
}

function limitOf(query: URLSearchParams): number {
  const limit = Number(query.get('limit') ?? 0);
  // A version 0 list comes from a kube-apiserver's watch cache, whole.
  return limit > 0 && query.get('resourceVersion') !== '0' ? limit : Infinity;
}

function startOf(store: VersionedStore, query: URLSearchParams, limit: number): Token {
  const token = query.get('continue') ?? '';
  const version = query.get('resourceVersion') ?? '';
  checkMatch(query.get('resourceVersionMatch') ?? '', version, token);
  if (token !== '') return resume(store, decode(token), version);
  return { revision: revisionOf(store, parseVersion(version), exactly(query, limit)), from: '' };
}

function exactly(query: URLSearchParams, limit: number): boolean {
  const match = query.get('resourceVersionMatch') ?? '';
  return match === 'Exact' || (match === '' && limit < Infinity);
}

function revisionOf(store: VersionedStore, wanted: number, exact: boolean): number {
  if (wanted > store.revision) throw apiErrors.futureVersion(wanted, store.revision);
  if (!exact || wanted === 0) return store.revision;
  if (wanted < store.compacted) throw apiErrors.expiredList();
  return wanted;
}

function resume(store: VersionedStore, token: Token, version: string): Token {
  if (version !== '' && version !== '0') {
    throw apiErrors.badRequest('specifying resource version is not allowed when using continue');
  }
  if (token.revision === -1) return { revision: store.revision, from: token.from };
  if (token.revision < store.compacted) throw apiErrors.expiredContinue(encode({ ...token, revision: -1 }));
  return token;
}

function checkMatch(match: string, version: string, token: string): void {
  const forbid = (why: string) =>
    apiErrors.invalid('ListOptions.meta.k8s.io', '', `resourceVersionMatch: Forbidden: resourceVersionMatch ${why}`);
  if (match === '') return;
  if (token !== '') throw forbid('is forbidden when continue is provided');
  if (version === '') throw forbid('is forbidden unless resourceVersion is provided');
  if (match !== 'Exact' && match !== 'NotOlderThan') {
    const problem = `resourceVersionMatch: Unsupported value: "${match}": supported values: "Exact", "NotOlderThan"`;
    throw apiErrors.invalid('ListOptions.meta.k8s.io', '', problem);
  }
  if (match === 'Exact' && version === '0') throw forbid('"exact" is forbidden for resourceVersion "0"');
}

interface Wanted extends Token {
  readonly selector: Selector | undefined;
  readonly limit: number;
}

function page(store: VersionedStore, type: ServedType, namespace: string, wanted: Wanted) {
  const items: StoredObject[] = [];
  for (const [key, object] of store.list(type.plural, { ...wanted, namespace })) {
    if (wanted.selector?.(object) === false) continue;
    if (items.length >= wanted.limit) return { items, next: key, remaining: store.count(type.plural, namespace, key) };
    items.push(object);
  }
  return { items, next: undefined, remaining: 0 };
}

function encode(token: Token): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: token.revision, start: token.from })).toString(
    'base64url',
  );
}

function decode(text: string): Token {
  try {
    const { rv, start } = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (Number.isSafeInteger(rv) && typeof start === 'string') return { revision: rv, from: start };
  } catch {
    // Told below, with what a readable token of another shape comes to.
  }
  throw apiErrors.badRequest(
    'invalid continue token: continue key is not valid: expected a token from an earlier page of this list',
  );
}
