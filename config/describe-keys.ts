import type { Profile } from '../lib/profile.ts';
import type { Effect, MapSchema } from './maps/map-schema.ts';
import { mapSchemas } from './maps/map-schemas.ts';
import type { Row } from './row.ts';
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
  readonly effect: Effect;
}

/** Every key of the four config maps, map by map in the order of their tables. */
export function describeKeys(profile: Profile): readonly KeyDescription[] {
  const schemas = mapSchemas(profile);
  return mapNames.flatMap((map) => rowsOf(schemas[map]).map((row) => describe(map, row)));
}

type MapRow = Row<unknown> & { readonly effect: Effect };

function rowsOf(schema: Pick<MapSchema<unknown>, 'rows'>): readonly MapRow[] {
  return Object.values<MapRow>(schema.rows);
}

function describe(map: MapName, { key, format, doc, example, effect, ...row }: MapRow): KeyDescription {
  return { map, key, default: row.default, allowed: format.expected, doc, example, effect };
}
