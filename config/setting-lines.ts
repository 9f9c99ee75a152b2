import type { Profile } from '../lib/profile.ts';
import { durationText } from './formats/duration.ts';
import { mapSchemas } from './maps/map-schemas.ts';
import { switchFormat } from './maps/switch-format.ts';
import { type FieldRow, fieldRows } from './row.ts';
import { type MapName, mapNames } from './settings.ts';
import type { MapStatus, SettingsState } from './settings-state.ts';

/** One setting in force, as people are shown it. */
export interface SettingLine {
  readonly map: MapName;
  readonly key: string;
  /** As a config map would say it; `none` without a value; of a sink only that it is `set`. */
  readonly value: string;
  readonly source: MapStatus['source'];
  /** Of the map's version that brought the value; undefined where no map did. */
  readonly resourceVersion: string | undefined;
  /** When the value took effect, ms since the epoch. */
  readonly sinceMs: number;
}

/**
 * Every setting in force after one more state, in the order of the tables, each with where it came from and when.
 *
 * A version that is refused, or that says the same, leaves a line as it was.
 */
export function nextSettingLines(
  before: readonly SettingLine[],
  { settings, maps }: SettingsState,
  profile: Profile,
): readonly SettingLine[] {
  const known = new Map(before.map((line) => [`${line.map} ${line.key}`, line]));
  const schemas = mapSchemas(profile);
  return mapNames.flatMap((map) => {
    const values = new Map<string, unknown>(Object.entries(settings[map]));
    return fieldRows<unknown>(schemas[map].rows).map((row) => {
      const value = valueText(row, values.get(row.field));
      return nextLine(known.get(`${map} ${row.key}`), { map, key: row.key, value }, maps[map]);
    });
  });
}

function nextLine(
  before: SettingLine | undefined,
  now: Pick<SettingLine, 'map' | 'key' | 'value'>,
  { source, problems, resourceVersion, sinceMs }: MapStatus,
): SettingLine {
  const refused = problems.length > 0;
  const same = before?.value === now.value;
  if (same && (refused || before.source === source)) return before;
  // What stays in force is not of the version that was refused.
  return {
    ...now,
    source,
    resourceVersion: refused ? undefined : resourceVersion,
    sinceMs: same ? before.sinceMs : sinceMs,
  };
}

/** User, password, path and query may all be secrets. */
const secretKeys: ReadonlySet<string> = new Set(['sink', 'default-cloud-events-sink']);

function valueText({ key, field, format }: FieldRow, value: unknown): string {
  if (value === undefined) return 'none';
  if (secretKeys.has(key)) return 'set';
  if (format === switchFormat) return value === true ? 'enabled' : 'disabled';
  return field.endsWith('Ms') ? durationText(Number(value)) : String(value);
}
