import { accessSync, constants } from 'node:fs';
import { codeOf } from '../error-code.ts';

/** Throws an Error of one sentence unless the file can be read; `what` begins the sentence. */
export function mustRead(file: string, what: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new Error(`${what}: expected a readable file at ${file}, got ${codeOf(error)}`);
  }
}
