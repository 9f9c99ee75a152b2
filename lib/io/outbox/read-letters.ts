import { appendFileSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { OutgoingEvent } from '../../events/outgoing.ts';
import { readDeadLetter } from '../../outbox/dead-letter.ts';
import { deadLetterPath } from './dead-letter-file.ts';

/** The dead letters of a data dir, as they stood when they were read. */
interface Letters {
  /** In the order they were written, each id once. */
  readonly events: readonly OutgoingEvent[];
  /** Lines that are no dead letter. */
  readonly unreadable: number;
  /** Takes events out of the files by their ids. What a controller has written meanwhile stays. */
  remove(ids: ReadonlySet<string>): void;
}

/** Reads all dead letters of a data dir; throws one sentence when there is no such directory. */
export function readLetters(dir: string): Letters {
  const lines = lettersIn(dir).flatMap((file) => linesOf(file));
  const read = lines.map(readDeadLetter);
  const byId = new Map(read.flatMap((event) => (event === undefined ? [] : [[event.id, event] as const])));
  return {
    events: [...byId.values()],
    unreadable: read.filter((event) => event === undefined).length,
    remove: (ids) => removeFrom(dir, ids),
  };
}

/**
 * The file is moved away first: a controller at work begins another. What is to stay is added to that one, and a
 * process that ends in between leaves the moved file, which the next reads as well.
 */
function removeFrom(dir: string, ids: ReadonlySet<string>): void {
  for (const file of lettersIn(dir)) {
    const moved = file === deadLetterPath(dir) ? join(dir, `dead-letters.${process.pid}-${Date.now()}.jsonl`) : file;
    if (moved !== file) renameSync(file, moved);
    const stay = linesOf(moved).filter((line) => !ids.has(readDeadLetter(line)?.id ?? ''));
    if (stay.length > 0) appendFileSync(deadLetterPath(dir), `${stay.join('\n')}\n`, { mode: 0o600, flush: true });
    rmSync(moved);
  }
}

function lettersIn(dir: string): string[] {
  try {
    const names = readdirSync(dir).filter((name) => /^dead-letters(\..+)?\.jsonl$/.test(name));
    return names.sort((a, b) => a.length - b.length || (a < b ? -1 : 1)).map((name) => join(dir, name));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new Error(`${dir}: expected a data dir, got: ${problem}`, { cause: error });
  }
}

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}
