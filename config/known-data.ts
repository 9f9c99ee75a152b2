import { profiles } from '../lib/profile.ts';
import { mapSchemas } from './maps/map-schemas.ts';
import { fieldRows } from './row.ts';
import type { MapName } from './settings.ts';

// Keys are the same in every profile; only defaults and formats differ.
const schemas = mapSchemas(profiles.svc);

/** Only the texts of keys that this controller knows, in a fixed order: what is kept as the last good text. */
export function knownData(name: MapName, data: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const { key } of fieldRows<unknown>(schemas[name].rows)) {
    const text = Object.hasOwn(data, key) ? data[key] : undefined;
    if (typeof text === 'string') kept[key] = text;
  }
  return kept;
}
