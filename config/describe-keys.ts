import type { Profile } from '../lib/profile.ts';
import { mapSchemas } from './maps/map-schemas.ts';
import { type FieldRow, fieldRows } from './row.ts';
import { type MapName, mapNames } from './settings.ts';

/** One key of a config map, in texts fit for docs and help. */
export interface KeyDescription {
  readonly map: MapName;
  readonly key: string;
  /** '' where the key has no value by default. */
  readonly default: string;
  readonly allowed: string;
  readonly doc: string;
  readonly example: string;
}

/** Every key of the four config maps, map by map in the order of their tables. */
export function describeKeys(profile: Profile): readonly KeyDescription[] {
  const schemas = mapSchemas(profile);
  return mapNames.flatMap((map) => fieldRows<unknown>(schemas[map].rows).map((row) => describe(map, row)));
}

function describe(map: MapName, { key, format, doc, example, ...row }: FieldRow): KeyDescription {
  return { map, key, default: row.default, allowed: format.expected, doc, example };
}
