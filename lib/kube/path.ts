import type { ResourceType } from './api.ts';

/** `v1` for the core group, else `svc.dev/v1`: what an object of this type carries as `apiVersion`. */
export function apiVersionOf({ group, version }: Pick<ResourceType, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/**
 * The path of a type's collection, or of one object when `name` is given, below the server's URL.
 *
 * `namespace` '' means all namespaces (or a type that has none).
 */
export function resourcePath(type: ResourceType, namespace: string, name?: string): string {
  const root = type.group === '' ? '/api' : '/apis';
  const scope = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const object = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  return `${root}/${apiVersionOf(type)}${scope}/${type.plural}${object}`;
}

/** `?a=1&b=2` of the parameters that have a value, '' where none has. */
export function queryString(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const pairs = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
