import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { LettersWritten } from './messages.ts';

/** Where dead letters are written; the file is opened for each write, so that it may be moved away at any time. */
export function deadLetterPath(dir: string): string {
  return join(dir, 'dead-letters.jsonl');
}

/**
 * Appends lines and puts them to disk; lines that would grow the file past `limitBytes` are refused, so that what was
 * kept stays kept. Throws when the disk takes none; a half line that it left is ended by the next write.
 */
export function appendLetters(dir: string, lines: readonly string[], limitBytes: number): LettersWritten {
  const file = openSync(deadLetterPath(dir), 'a+', 0o600);
  try {
    const { size } = fstatSync(file);
    let bytes = size;
    const fitting = lines
      .map((line) => Buffer.from(`${line}\n`))
      .filter((line) => {
        const fits = bytes + line.byteLength <= limitBytes;
        if (fits) bytes += line.byteLength;
        return fits;
      });
    if (endsInHalfLine(file, size)) writeWhole(file, Buffer.from('\n'));
    writeWhole(file, Buffer.concat(fitting));
    fsyncSync(file);
    return { refused: lines.length - fitting.length };
  } finally {
    closeSync(file);
  }
}

/** A process that was killed, or a full disk, may have left one. */
function endsInHalfLine(file: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last.toString() !== '\n';
}

function writeWhole(file: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.byteLength) written += writeSync(file, bytes, written);
}
