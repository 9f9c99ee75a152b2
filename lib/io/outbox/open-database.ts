import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A database that is ours alone, or one sentence why there is none. */
type OpenedDatabase =
  | { readonly ok: true; readonly db: DatabaseSync; readonly movedAside: string | undefined }
  | { readonly ok: false; readonly refusal: string };

interface Options {
  readonly dir: string;
  /** Most that the database may take; undefined: what the disk has. */
  readonly limitBytes: number | undefined;
}

/** The version of the tables, kept in `user_version`. */
const schemaVersion = 1;

/**
 * Two or three bodies of 4 to 6 KB share a page, and none is torn over a chain of them: with pages of 8 KB a written and
 * removed event takes 40 us, of 16 KB 28 us. A database keeps the size that it was begun with.
 */
const pageBytes = 16_384;

/** How large the log grows before it is written into the database. */
const logBytes = 16 * 1024 * 1024;

/** Result codes of SQLite that tell one trouble from another: https://sqlite.org/rescode.html. */
const codes = { busy: 5, corrupt: 11, full: 13, notDatabase: 26 } as const;

/**
 * Opens the database of a data dir, made where there is none.
 *
 * It is locked for as long as it is open, and the lock ends with the process. A database that cannot be read is
 * moved to `outbox.db.corrupt`, in place of an earlier one, and another is begun.
 */
export function openDatabase(options: Options): OpenedDatabase {
  const first = attempt(options);
  if (first.ok || !first.corrupt) return first.ok ? { ...first, movedAside: undefined } : first;
  const movedAside = moveAside(options.dir);
  const second = attempt(options);
  return second.ok ? { ...second, movedAside } : second;
}

/** What a failed statement came to. */
export function causeOf(error: unknown): 'full' | 'corrupt' | 'failed' {
  const code = errcodeOf(error);
  if (code === codes.full) return 'full';
  return code === codes.corrupt || code === codes.notDatabase ? 'corrupt' : 'failed';
}

type Attempt =
  | { readonly ok: true; readonly db: DatabaseSync }
  | { readonly ok: false; readonly corrupt: boolean; readonly refusal: string };

function attempt({ dir, limitBytes }: Options): Attempt {
  let db: DatabaseSync | undefined;
  try {
    if (!existsSync(dir)) mkdirSync(dir);
    db = new DatabaseSync(join(dir, 'outbox.db'));
    const newer = prepare(db, limitBytes);
    if (newer === undefined) return { ok: true, db };
    db.close();
    const refusal = `${dir}: expected a database of version ${schemaVersion} or before, got version ${newer}`;
    return { ok: false, corrupt: false, refusal };
  } catch (error) {
    db?.close();
    return { ok: false, corrupt: causeOf(error) === 'corrupt', refusal: refusalOf(dir, error) };
  }
}

/** Locks, checks and makes the tables; the version of a database that is newer than ours. */
function prepare(db: DatabaseSync, limitBytes: number | undefined): number | undefined {
  // Exclusive before the first read: nobody else may open it, and no shared memory file is needed.
  db.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA page_size = ${pageBytes}; PRAGMA journal_mode = WAL`);
  db.exec('PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864');
  db.exec('BEGIN EXCLUSIVE; COMMIT');
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version);
  if (version > schemaVersion) return version;
  const [check] = Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {});
  if (check !== 'ok') throw Object.assign(new Error(String(check)), { errcode: codes.corrupt });
  // Nothing is written where nothing is missing: a full disk must not keep what is on it from being read.
  if (version < schemaVersion) db.exec(schema);
  const page = Number(db.prepare('PRAGMA page_size').get()?.page_size);
  db.exec(`PRAGMA wal_autocheckpoint = ${logBytes / page}`);
  if (limitBytes !== undefined) db.exec(`PRAGMA max_page_count = ${Math.ceil(limitBytes / page)}`);
  return undefined;
}

const schema = `
  BEGIN;
  CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS events (
    ordinal INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, put_at INTEGER NOT NULL, head TEXT NOT NULL, body BLOB NOT NULL
  );
  CREATE TABLE IF NOT EXISTS told (
    ordinal INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, watch TEXT NOT NULL, told INTEGER NOT NULL, counted_at TEXT,
    run TEXT NOT NULL
  );
  PRAGMA user_version = ${schemaVersion};
  COMMIT;
`;

function moveAside(dir: string): string {
  const file = join(dir, 'outbox.db');
  const aside = `${file}.corrupt`;
  renameSync(file, aside);
  // What the log held belongs to the database that is gone.
  for (const rest of ['-wal', '-shm']) rmSync(`${file}${rest}`, { force: true });
  return aside;
}

function refusalOf(dir: string, error: unknown): string {
  if (errcodeOf(error) === codes.busy)
    return `${dir}: expected to be alone in the data dir, another process has it open`;
  const problem = error instanceof Error ? error.message : String(error);
  return `${dir}: expected a directory to keep events in, got: ${problem}`;
}

function errcodeOf(error: unknown): number | undefined {
  const code: unknown = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  // Extended codes carry the primary one in their lowest byte.
  return typeof code === 'number' ? code & 0xff : undefined;
}
