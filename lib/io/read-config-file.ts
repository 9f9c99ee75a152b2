import { readFileSync } from 'node:fs';
import { text } from '../run/fields.ts';

/** Words for what goes wrong with files most often. */
const causes: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
};

/** Sixteen config maps of the greatest size an API server takes. */
const maxBytes = 16 * 2 ** 20;

/** The text of a small file, UTF-8. Throws an Error whose message is one sentence that begins with the path. */
export function readConfigFile(path: string): string {
  const bytes = read(path);
  if (bytes.length > maxBytes) throw new Error(`${path}: expected at most 16 MiB, got ${bytes.length} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Error(`${path}: expected UTF-8 text, got other bytes`, { cause });
  }
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const code = text(cause, 'code');
    throw new Error(`${path}: cannot be read, ${causes[code] ?? code}`, { cause });
  }
}
