import type { Profile } from '../lib/profile.ts';
import { problemOf } from './formats/problem-of.ts';
import type { MapSchema } from './maps/map-schema.ts';
import { mapSchemas } from './maps/map-schemas.ts';
import type { Parsed } from './parsed.ts';
import { type FieldRow, fieldRows } from './row.ts';
import type { MapName, Settings } from './settings.ts';
import { settle } from './settle.ts';
import { unknownKeyWarnings } from './unknown-keys.ts';

/** The `data` of a config map; texts, when an API server has let it pass. */
export type MapData = Readonly<Record<string, unknown>>;

/** Shown in every map of a fresh installation as a commented example; never a setting. */
const exampleKey = '_example';

/**
 * The settings of one config map, or every problem with it at once, in the order of the keys' table.
 *
 * No data means defaults. Problems and warnings are sentences that begin with the key; none repeats a sink URL.
 */
export function parseMap<M extends MapName>(name: M, data: MapData | undefined, profile: Profile): Parsed<Settings[M]> {
  return readMap<Settings[M]>(mapSchemas(profile)[name], data ?? {});
}

function readMap<S>(schema: MapSchema<S>, data: MapData): Parsed<S> {
  const rows = fieldRows(schema.rows);
  const known = new Set(rows.map(({ key }) => key));
  const given = Object.keys(data).filter((key) => key !== exampleKey);
  const unknown = unknownKeyWarnings(given, known, schema.unknownKeys);
  const { values, wrong } = readRows(rows, data);
  const strays = given.filter((key) => !known.has(key) && typeof data[key] !== 'string');
  const value = settle<S>(schema.rows, values);
  const findings = schema.findings(value, new Set(given));
  const problems = [
    ...wrong.values(),
    // A wrong value stands in as its default here, so what is found about its key is not to be believed.
    ...findings.problems.filter((problem) => !wrong.has(problem.slice(0, problem.indexOf(':')))),
    ...strays.map((key) => noText(key, data[key])),
  ];
  if (problems.length > 0) return { ok: false, problems, warnings: unknown };
  return { ok: true, value, warnings: [...unknown, ...findings.warnings] };
}

/** What reads, by field, and the sentences about what does not, by key. */
function readRows(rows: readonly FieldRow[], data: MapData): { values: MapData; wrong: Map<string, string> } {
  const values: Record<string, unknown> = {};
  const wrong = new Map<string, string>();
  for (const { field, key, format } of rows) {
    if (!Object.hasOwn(data, key)) continue;
    const given = data[key];
    const read = typeof given === 'string' ? format.parse(given) : undefined;
    if (read !== undefined) values[field] = read.value;
    else wrong.set(key, typeof given === 'string' ? problemOf(key, format, given) : noText(key, given));
  }
  return { values, wrong };
}

/** YAML reads `key: true` as a boolean, and the API server then refuses the whole map. */
function noText(key: string, given: unknown): string {
  const got = given === null ? 'nothing' : Array.isArray(given) ? 'a list' : nameOf(given);
  return `${key}: expected a text in quotes, got ${got}`;
}

function nameOf(given: unknown): string {
  return typeof given === 'object' ? 'a mapping' : `the ${typeof given} ${String(given)}`;
}
