import { randomInt } from 'node:crypto';
import { apiErrors } from './api-error.ts';
import { apiVersionOf, type ServedType } from './served-types.ts';
import { isJson, type Json, jsonAt, textAt } from './stored-object.ts';

/** A body of the right kind for its resource, still with whatever metadata was sent. */
export interface CheckedBody {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Json;
  readonly [field: string]: unknown;
}

/**
 * The body as an object of this resource and namespace. Throws a 400 when it is of another kind, version or
 * namespace, or holds a value that the resource's type cannot.
 */
export function checkBody(type: ServedType, namespace: string, sent: unknown): CheckedBody {
  if (!isJson(sent)) throw apiErrors.badRequest('the object provided is unrecognized: expected a JSON object');
  const apiVersion = expectText(type, sent, 'apiVersion', apiVersionOf(type));
  const kind = expectText(type, sent, 'kind', type.kind);
  const metadata = jsonAt(sent, 'metadata');
  const inside = textAt(metadata, 'namespace');
  if (type.namespaced && inside !== '' && inside !== namespace) {
    const problem = 'the namespace of the provided object does not match the namespace sent on the request';
    throw apiErrors.badRequest(problem);
  }
  checkData(type, sent);
  checkInvolved(type, namespace, sent);
  return { ...sent, apiVersion, kind, metadata };
}

/** Typed resources may leave kind and apiVersion out; custom ones may not, having no Go type to go by. */
function expectText(type: ServedType, sent: Json, field: 'apiVersion' | 'kind', wanted: string): string {
  const text = textAt(sent, field);
  if (text === wanted || (text === '' && !type.custom)) return wanted;
  if (text === '') throw apiErrors.badRequest(`Object '${field === 'kind' ? 'Kind' : field}' is missing in the body`);
  if (field === 'kind' && type.custom) {
    const problem = `kind: Invalid value: "${text}": must be ${wanted}`;
    throw apiErrors.invalid(`${text}.${type.group}`, textAt(jsonAt(sent, 'metadata'), 'name'), problem);
  }
  const what = field === 'kind' ? 'kind' : 'API version';
  throw apiErrors.badRequest(`the ${what} in the data (${text}) does not match the expected ${what} (${wanted})`);
}

/** A config map's values are strings; `5` and `true` without quotes are the commonest slip of a hand-written patch. */
function checkData(type: ServedType, sent: Json): void {
  if (type.kind !== 'ConfigMap') return;
  const stray = Object.values(jsonAt(sent, 'data')).find((value) => typeof value !== 'string');
  if (stray === undefined) return;
  const got = stray === true || stray === false ? 'bool' : typeof stray;
  throw apiErrors.badRequest(
    `ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal ${got} into Go struct field ` +
      'ConfigMap.data of type string',
  );
}

function checkInvolved(type: ServedType, namespace: string, sent: Json): void {
  if (type.kind !== 'Event') return;
  const involved = textAt(jsonAt(sent, 'involvedObject'), 'namespace');
  if (involved === namespace || (involved === '' && namespace === 'default')) return;
  const problem = `involvedObject.namespace: Invalid value: "${involved}": does not match event.namespace`;
  throw apiErrors.invalid('Event', textAt(jsonAt(sent, 'metadata'), 'name'), problem);
}

/** Throws when an object to be created carries a version already. */
export function checkNew({ metadata }: CheckedBody): void {
  if (textAt(metadata, 'resourceVersion') !== '') throw apiErrors.versionOnCreate();
}

// The letters of k8s.io/apimachinery/pkg/util/rand: no vowels, so that no word comes about.
const letters = 'bcdfghjklmnpqrstvwxz2456789';

/** The name, else generateName with five letters after it, else ''. */
export function generatedName(metadata: Json): string {
  const name = textAt(metadata, 'name');
  const stem = textAt(metadata, 'generateName');
  if (name !== '' || stem === '') return name;
  return stem + Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('');
}

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Throws a 422 on a name that is missing or no RFC 1123 subdomain of at most 253 characters. */
export function checkName(type: ServedType, name: string): void {
  const subject = type.group === '' ? type.kind : `${type.kind}.${type.group}`;
  if (name === '') {
    throw apiErrors.invalid(subject, '', 'metadata.name: Required value: name or generateName is required');
  }
  if (name.length <= 253 && subdomain.test(name)) return;
  const rule = 'a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "-" or "."';
  throw apiErrors.invalid(subject, name, `metadata.name: Invalid value: "${name}": ${rule}`);
}
