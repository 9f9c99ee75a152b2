import { apiVersionOf, type ServedType } from './served-types.ts';

/** What a path below `/api` or `/apis` names. `namespace` '' is every namespace; `name` '' is the collection. */
export interface RequestTarget {
  readonly type: ServedType;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: '' | 'status';
}

/** The resource, namespace, name and subresource of a path; undefined when the server has no such thing. */
export function requestTarget(types: readonly ServedType[], path: string): RequestTarget | undefined {
  const [root, ...segments] = path.slice(1).split('/').map(decoded);
  const apiVersion = root === 'api' ? segments.shift() : segments.splice(0, 2).join('/');
  if ((root !== 'api' && root !== 'apis') || (root === 'api' && apiVersion !== 'v1')) return undefined;
  const inNamespace = segments[0] === 'namespaces' && segments.length > 2 && segments[2] !== 'status';
  const [, namespace = ''] = inNamespace ? segments.splice(0, 2) : [];
  const [plural, name = '', subresource = '', ...rest] = segments;
  const type = types.find((one) => one.plural === plural && apiVersionOf(one) === apiVersion);
  if (type === undefined || rest.length > 0 || (namespace !== '' && !type.namespaced)) return undefined;
  if (name !== '' && type.namespaced && namespace === '') return undefined;
  if (subresource !== '' && !(subresource === 'status' && type.custom)) return undefined;
  return { type, namespace, name, subresource: subresource === '' ? '' : 'status' };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
