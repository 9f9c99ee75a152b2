import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { apiErrors } from './api-error.ts';
import { type CheckedBody, checkBody, checkName, checkNew, generatedName } from './check-body.ts';
import { qualifiedName, type ServedType } from './served-types.ts';
import { type Json, jsonAt, type ObjectMeta, type StoredObject, textAt } from './stored-object.ts';
import type { VersionedStore } from './versioned-store.ts';

/** One object of one resource. `namespace` '' for resources without one. */
export interface Target {
  readonly type: ServedType;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: '' | 'status';
}

interface Options {
  readonly store: VersionedStore;
  readonly nowMs: () => number;
  /** Objects that may exist at once. */
  readonly objectLimit: number;
}

const systemFields = ['uid', 'creationTimestamp', 'generation', 'deletionTimestamp', 'deletionGracePeriodSeconds'];

/** What a kube-apiserver does between a request and etcd: checks, defaults, generations, conflicts, finalizers. */
export class Registry {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Throws 404. */
  get({ type, namespace, name }: Target): StoredObject {
    const found = this.#options.store.get(type.plural, namespace, name);
    if (found === undefined) throw apiErrors.notFound(type, name);
    return found;
  }

  /** Throws 400, 404 (no such namespace), 409 (it exists) and 422. */
  create(type: ServedType, namespace: string, sent: unknown): StoredObject {
    return this.#options.store.put(type.plural, this.prepare(type, namespace, sent));
  }

  /** What `create` would write, checked but not written. */
  prepare(type: ServedType, namespace: string, sent: unknown): StoredObject {
    const { store, objectLimit } = this.#options;
    const body = checkBody(type, namespace, sent);
    checkNew(body);
    const name = generatedName(body.metadata);
    checkName(type, name);
    this.#checkNamespace(type, namespace);
    if (store.get(type.plural, namespace, name) !== undefined) throw apiErrors.alreadyExists(type, name);
    if (store.size >= objectLimit) throw apiErrors.full();
    return this.#newObject(type, namespace, name, body);
  }

  /** Throws 400, 404, 409 (changed since) and 422. An update that changes nothing writes nothing. */
  update(target: Target, sent: unknown): StoredObject {
    const { type, namespace, name, subresource } = target;
    const body = checkBody(type, namespace, sent);
    const named = textAt(body.metadata, 'name');
    if (named !== name) {
      throw apiErrors.badRequest(`the name of the object (${named}) does not match the name on the URL (${name})`);
    }
    const existing = this.#options.store.get(type.plural, namespace, name);
    if (existing === undefined && type.createOnUpdate && subresource === '') return this.create(type, namespace, sent);
    if (existing === undefined) throw apiErrors.notFound(type, name);
    checkVersion(type, existing, body);
    return this.#write(target, existing, body);
  }

  /** `change` makes the patched object of the present one; a patch that names a resourceVersion may conflict. */
  patch(target: Target, change: (present: Json) => Json): StoredObject {
    const present = this.get(target);
    return this.update(target, change(present));
  }

  /** Throws 404 and 409 (preconditions). With finalizers it only marks; gives back what was deleted or marked. */
  remove(target: Target, options: unknown): { readonly object: StoredObject; readonly gone: boolean } {
    const { type, namespace, name } = target;
    const object = this.get(target);
    checkPreconditions(target, object, jsonAt(options, 'preconditions'));
    if ((object.metadata.finalizers ?? []).length > 0) return { object: this.#mark(target, object), gone: false };
    this.#options.store.remove(type.plural, namespace, name);
    return { object, gone: true };
  }

  #mark({ type }: Target, object: StoredObject): StoredObject {
    if (object.metadata.deletionTimestamp !== undefined) return object;
    const metadata = { ...object.metadata, deletionTimestamp: this.#now(), deletionGracePeriodSeconds: 0 };
    return this.#options.store.put(type.plural, { ...object, metadata });
  }

  #write(target: Target, existing: StoredObject, body: CheckedBody): StoredObject {
    const { type, namespace, name, subresource } = target;
    const { store } = this.#options;
    const next = subresource === 'status' ? withStatus(existing, body) : nextVersion(type, existing, body);
    const finished = next.metadata.deletionTimestamp !== undefined && (next.metadata.finalizers ?? []).length === 0;
    if (finished) {
      store.remove(type.plural, namespace, name);
      return next;
    }
    return isDeepStrictEqual(next, existing) ? existing : store.put(type.plural, next);
  }

  #newObject(type: ServedType, namespace: string, name: string, body: CheckedBody): StoredObject {
    const { status, ...rest } = body;
    const metadata: ObjectMeta = {
      ...without(body.metadata, [...systemFields, 'selfLink', 'managedFields']),
      name,
      ...(namespace === '' ? {} : { namespace }),
      uid: randomUUID(),
      resourceVersion: '',
      creationTimestamp: this.#now(),
      ...(type.custom ? { generation: 1 } : {}),
    };
    // Custom resources with a status subresource begin without a status, whatever was sent.
    return { ...rest, ...(status === undefined || type.custom ? {} : { status }), metadata };
  }

  #checkNamespace(type: ServedType, namespace: string): void {
    if (!type.namespaced || this.#options.store.get('namespaces', '', namespace) !== undefined) return;
    throw apiErrors.noNamespace(namespace);
  }

  #now(): string {
    return `${new Date(this.#options.nowMs()).toISOString().slice(0, 19)}Z`;
  }
}

function without(object: Json, fields: readonly string[]): Json {
  return Object.fromEntries(Object.entries(object).filter(([field]) => !fields.includes(field)));
}

function withStatus(existing: StoredObject, { status }: CheckedBody): StoredObject {
  const { status: _before, ...rest } = existing;
  return status === undefined ? rest : { ...rest, status };
}

function nextVersion(type: ServedType, existing: StoredObject, body: CheckedBody): StoredObject {
  const { status, ...sent } = body;
  const kept = type.custom ? existing.status : status;
  const { metadata: before } = existing;
  const system = Object.fromEntries(
    systemFields.filter((field) => field in before).map((field) => [field, before[field]]),
  );
  const metadata = {
    ...without(body.metadata, [...systemFields, 'selfLink', 'managedFields']),
    ...system,
    name: before.name,
    ...(before.namespace === undefined ? {} : { namespace: before.namespace }),
    uid: before.uid,
    resourceVersion: before.resourceVersion,
    creationTimestamp: before.creationTimestamp,
  };
  const next = { ...sent, ...(kept === undefined ? {} : { status: kept }), metadata };
  return type.custom && !sameSpec(existing, next) ? grown(next, before.generation ?? 0) : next;
}

function grown(next: StoredObject, generation: number): StoredObject {
  return { ...next, metadata: { ...next.metadata, generation: generation + 1 } };
}

function sameSpec(a: StoredObject, b: StoredObject): boolean {
  const aside = ['metadata', 'status'];
  return isDeepStrictEqual(without(a, aside), without(b, aside));
}

function checkVersion(type: ServedType, existing: StoredObject, { metadata }: CheckedBody): void {
  const { name, uid, resourceVersion } = existing.metadata;
  const sent = textAt(metadata, 'resourceVersion');
  const sentUid = textAt(metadata, 'uid');
  if (sentUid !== '' && sentUid !== uid) throw apiErrors.conflict(type, name, uidProblem(sentUid, uid));
  if (sent === '' && !type.unconditionalUpdate) {
    const problem = 'metadata.resourceVersion: Invalid value: 0: must be specified for an update';
    throw apiErrors.invalid(qualifiedName(type), name, problem);
  }
  if (sent !== '' && sent !== resourceVersion) throw apiErrors.conflict(type, name);
}

function checkPreconditions({ type, name }: Target, { metadata }: StoredObject, wanted: Json): void {
  const uid = textAt(wanted, 'uid');
  const version = textAt(wanted, 'resourceVersion');
  if (uid !== '' && uid !== metadata.uid) throw apiErrors.conflict(type, name, uidProblem(uid, metadata.uid));
  if (version !== '' && version !== metadata.resourceVersion) {
    const has = `ResourceVersion in precondition: ${version}, ResourceVersion in object meta: ${metadata.resourceVersion}`;
    throw apiErrors.conflict(type, name, `Precondition failed: ${has}`);
  }
}

function uidProblem(wanted: string, has: string): string {
  return `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${has}`;
}
