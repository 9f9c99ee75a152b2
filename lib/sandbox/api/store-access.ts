import type { Resource } from '../../run/run.ts';
import { apiErrors } from './api-error.ts';
import { checkBody } from './check-body.ts';
import { mergePatch } from './patch-object.ts';
import type { Registry } from './registry.ts';
import type { SandboxApi } from './sandbox-api.ts';
import { apiVersionOf, type ServedType } from './served-types.ts';
import { type Json, jsonAt, type StoredObject, textAt } from './stored-object.ts';
import type { VersionedStore } from './versioned-store.ts';

interface Options {
  readonly store: VersionedStore;
  readonly registry: Registry;
  readonly types: readonly ServedType[];
}

export type StoreAccess = Pick<SandboxApi, 'apply' | 'patch' | 'remove' | 'get' | 'list'>;

/** The ways into the store without HTTP; what they write, watches tell like anything else. */
export function storeAccess({ store, registry, types }: Options): StoreAccess {
  const get = (plural: string, namespace: string, name: string) => store.get(plural, namespace, name);
  const present = (plural: string, namespace: string, name: string) => {
    const type = types.find((one) => one.plural === plural);
    if (type === undefined) throw apiErrors.noResource();
    return { type, object: registry.get({ type, namespace, name, subresource: '' }) };
  };
  return {
    get,
    list: (plural, namespace) =>
      [...store.list(plural, { namespace, revision: store.revision, from: '' })].map(([, object]) => object),
    apply: (object) => {
      const type = typeOf(types, object);
      const namespace = type.namespaced ? textAt(object.metadata, 'namespace') || 'default' : '';
      if (type.namespaced) ensureNamespace({ store, registry, types }, namespace);
      return write({ store, registry, types }, type, namespace, object);
    },
    patch: (plural, namespace, name, patch) => {
      const { type, object } = present(plural, namespace, name);
      return store.put(type.plural, stored(object, mergePatch(object, structuredClone(patch))));
    },
    remove: (plural, namespace, name) => {
      const { type } = present(plural, namespace, name);
      store.remove(type.plural, namespace, name);
    },
  };
}

function write({ store, registry }: Options, type: ServedType, namespace: string, object: Resource): StoredObject {
  const sent = structuredClone(object);
  const before = store.get(type.plural, namespace, textAt(object.metadata, 'name'));
  if (before !== undefined) return store.put(type.plural, stored(before, checkBody(type, namespace, sent)));
  const made = registry.prepare(type, namespace, sent);
  return store.put(type.plural, stored(made, { ...sent, metadata: { ...made.metadata, ...jsonAt(sent, 'metadata') } }));
}

/** What was sent, as the next version of what is there: same identity, the rest as sent. */
function stored(before: StoredObject, sent: Json): StoredObject {
  const { uid, name, namespace, creationTimestamp, generation } = before.metadata;
  const identity = { name, ...(namespace === undefined ? {} : { namespace }), uid, creationTimestamp };
  const metadata = {
    ...identity,
    ...(generation === undefined ? {} : { generation }),
    ...jsonAt(sent, 'metadata'),
    resourceVersion: '',
  };
  return { ...sent, apiVersion: before.apiVersion, kind: before.kind, metadata };
}

function typeOf(types: readonly ServedType[], object: Resource): ServedType {
  const type = types.find((one) => one.kind === object.kind && apiVersionOf(one) === object.apiVersion);
  if (type === undefined) throw apiErrors.noResource();
  return type;
}

function ensureNamespace({ store, registry, types }: Options, name: string): void {
  if (store.get('namespaces', '', name) !== undefined) return;
  const type = typeOf(types, { apiVersion: 'v1', kind: 'Namespace' });
  registry.create(type, '', { metadata: { name } });
}
