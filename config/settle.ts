import convict from 'convict';
import { fieldRows, type Rows } from './row.ts';

/**
 * Typed settings from read values, the default of its row for every field without one.
 *
 * Later layers of values outrank earlier ones. Throws when a default is not of its own format: a bug in a table.
 */
export function settle<S>(rows: Rows<S>, ...layers: readonly Readonly<Record<string, unknown>>[]): S {
  const schema = Object.fromEntries(fieldRows(rows).map((row) => [row.field, property(row)]));
  // The process's own arguments and environment would otherwise leak into every config map.
  const config = convict<S>(schema as convict.Schema<S>, { args: [], env: {} });
  for (const layer of layers) config.load(layer);
  return config.validate({ allowed: 'strict' }).getProperties();
}

function property(row: ReturnType<typeof fieldRows>[number]): convict.SchemaObj<unknown> {
  const read = row.format.parse(row.default);
  if (read === undefined) throw new Error(`${row.key}: its default is not ${row.format.expected}`);
  // Formats have read every value before it comes here; convict's own would take "5x" for a number.
  return { default: read.value, doc: row.doc, format: '*' };
}
