import type { Resource } from '../lib/run/run.ts';
import type { MapData } from './parse-map.ts';

/** A config map as far as settings need it. */
export interface ConfigMap {
  readonly uid: string;
  /** '' where the object carries none; then every sight of it counts as a new version. */
  readonly resourceVersion: string;
  readonly data: MapData;
  /** The whole object, for Events about it. */
  readonly resource: Resource;
}

/** One observed version of a config map; undefined: there is none. */
export type MapVersion = ConfigMap | undefined;

/** Reads a ConfigMap as sent; `data` that is no mapping counts as none, `binaryData` and `immutable` do not matter. */
export function readConfigMap(resource: Resource): ConfigMap {
  const metadata = mappingOf(resource.metadata);
  return {
    uid: textOf(metadata.uid),
    resourceVersion: textOf(metadata.resourceVersion),
    data: mappingOf(resource.data),
    resource,
  };
}

/** Whether two observations are of one and the same version. */
export function sameVersion(a: MapVersion, b: MapVersion): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.resourceVersion !== '' && a.resourceVersion === b.resourceVersion && a.uid === b.uid;
}

function mappingOf(value: unknown): MapData {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
