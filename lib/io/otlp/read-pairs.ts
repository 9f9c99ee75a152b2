import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Variable } from './variables-of.ts';

/**
 * `name=value,name=value` with values percent-encoded, as OpenTelemetry writes headers; names in lower case.
 *
 * Throws one sentence that names the variable and which pair is wrong, never what it says.
 */
export function readPairs(variable: Variable | undefined): Readonly<Record<string, string>> {
  if (variable === undefined) return {};
  const parts = variable.text.split(',').filter((part) => part.trim() !== '');
  return Object.fromEntries(parts.map((part, index) => readPair(part, `${variable.name}: pair ${index + 1}`)));
}

function readPair(part: string, where: string): [string, string] {
  const at = part.indexOf('=');
  const name = part.slice(0, Math.max(0, at)).trim().toLowerCase();
  try {
    const value = decodeURIComponent(part.slice(at + 1).trim());
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return [name, value];
  } catch {
    // No cause: it would quote the value.
    throw new Error(`${where}: expected name=value fit for a header, percent-encoded, got something else`);
  }
}
