import { nearestName } from './nearest-name.ts';

/** Warnings about unknown keys that one map may give; a map of a megabyte could hold thousands. */
const maxWarnings = 20;

/** Keys that are looked at; each costs a comparison with every known one. */
const maxKeys = 500;

/**
 * One warning for each key that is not known, with the known name it looks like, at most 20 and then a count.
 *
 * `which` `near` says nothing about a key that looks like none of ours.
 */
export function unknownKeyWarnings(
  keys: readonly string[],
  known: ReadonlySet<string>,
  which: 'every' | 'near',
): readonly string[] {
  const unknown = keys.filter((key) => !known.has(key));
  const warnings = unknown
    .slice(0, maxKeys)
    .map((key) => ({ key, near: nearestName(key, known) }))
    .filter(({ near }) => which === 'every' || near !== undefined)
    .map(({ key, near }) => (near ? `${key}: unknown key, did you mean ${near}?` : `${key}: unknown key`));
  const more = (which === 'every' ? unknown.length : warnings.length) - maxWarnings;
  return more > 0 ? [...warnings.slice(0, maxWarnings), `${more} more unknown keys`] : warnings;
}
