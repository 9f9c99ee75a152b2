import { readFileSync, type Stats, statSync } from 'node:fs';
import type { Log } from '../log.ts';
import type { CredentialName, Measure } from '../metrics/own.ts';
import { codeOf } from './error-code.ts';

/** A file and the flag that names it. */
export interface NamedFile {
  readonly flag: string;
  readonly path: string;
}

interface WatchedFilesOptions<T> {
  readonly credential: CredentialName;
  /** Read together and taken together. */
  readonly files: readonly NamedFile[];
  /** What the texts mean, by flag; throws an Error of one sentence that holds nothing of a text. */
  readonly read: (texts: Readonly<Record<string, string>>) => T;
  readonly measure: Measure;
  readonly log: Log;
  /** A monotonic clock in ms. */
  readonly now: () => number;
}

/** Files that are mounted and may rotate, as what they mean. */
export interface WatchedFiles<T> {
  /** What the files mean now: the same value as long as they do not change. Looks at most once a second. */
  current(): T;
  /** Reads the files now, whatever their times say: after an answer that the old content has caused. */
  refresh(): T;
}

/** A look costs a few microseconds a file, and there are thousands of posts a second. */
const lookEveryMs = 1_000;

/** Far above any chain of certificates. */
const maxBytes = 1024 * 1024;

/**
 * Files read now, and again when time, size or inode of one changes (a mounted Secret is swapped by a link).
 *
 * Throws an Error of one sentence when they cannot be read or are not what they should be. Later the last good
 * content stays instead, which is said once until it is over and counted for each new content.
 */
export function watchFiles<T>(options: WatchedFilesOptions<T>): WatchedFiles<T> {
  const { credential, files, measure, log, now } = options;
  let seen = stampOf(files);
  let value = readAll(options);
  let lookedAtMs = now();
  let trouble: string | undefined;

  const told = (outcome: 'applied' | 'refused') => measure.count('credential_reads_total', { credential, outcome });

  const refuse = (problem: string, stamp: string) => {
    if (stamp !== seen || problem !== trouble) told('refused');
    const say = problem === trouble ? log.debug : log.warn;
    say.call(log, { credential, problem }, 'credentials refused, the last good ones stay');
    trouble = problem;
  };

  const readAgain = (stamp: string) => {
    try {
      value = readAll(options);
      if (stamp !== seen || trouble !== undefined) {
        told('applied');
        log.info({ credential }, 'credentials read again');
      }
      trouble = undefined;
    } catch (error) {
      refuse(error instanceof Error ? error.message : String(error), stamp);
    }
    seen = stamp;
  };

  return {
    current() {
      if (now() - lookedAtMs < lookEveryMs) return value;
      lookedAtMs = now();
      const stamp = stampOf(files);
      if (stamp !== seen) readAgain(stamp);
      return value;
    },
    refresh() {
      lookedAtMs = now();
      readAgain(stampOf(files));
      return value;
    },
  };
}

/** Changes whenever the content may have; also while a file cannot be looked at. */
export function stampOf(files: readonly Pick<NamedFile, 'path'>[]): string {
  return files.map(({ path }) => stamp(path)).join(' ');
}

function stamp(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return `${ino}/${size}/${mtimeMs}`;
  } catch (error) {
    return codeOf(error);
  }
}

function readAll<T>({ files, read }: Pick<WatchedFilesOptions<T>, 'files' | 'read'>): T {
  return read(Object.fromEntries(files.map((file) => [file.flag, textOf(file)])));
}

function textOf({ flag, path }: NamedFile): string {
  const wanted = `${flag}: expected a readable file at ${path}`;
  let stats: Stats;
  let text: string;
  try {
    stats = statSync(path);
    // Reading a pipe would wait for whoever writes it.
    text = stats.isFile() && stats.size <= maxBytes ? readFileSync(path, 'utf8') : '';
  } catch (cause) {
    throw new Error(`${wanted}, got ${codeOf(cause)}`, { cause });
  }
  if (!stats.isFile()) throw new Error(`${wanted}, got something else than a file`);
  if (stats.size > maxBytes) throw new Error(`${wanted} of at most 1 MiB, got ${stats.size} bytes`);
  return text;
}
