import type { Row } from '../row.ts';
import { rows } from './rows.ts';

/** The row of this name; throws where there is none. */
export function rowNamed(name: string): Row {
  const found = rows.find((row) => row.name === name);
  if (found === undefined) throw new Error(`expected the name of a row, got "${name}"`);
  return found;
}
