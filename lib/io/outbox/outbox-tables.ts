import { randomUUID } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { OutboxState } from '../../outbox/outbox.ts';
import type { EventRecord, ToldRecord } from '../../outbox/records.ts';
import type { EventPage, ToldPage, WriteAsk } from './messages.ts';

/** What the outbox asks of its database. */
export interface OutboxTables {
  state(): OutboxState;
  /** All of it or, when it throws, none. */
  write(ask: WriteAsk): void;
  /** Its removals alone: what makes room on a full disk. */
  removeOnly(ask: WriteAsk): void;
  events(after: number): EventPage;
  told(after: number): ToldPage;
}

const statements = {
  meta: 'SELECT name, value FROM meta',
  setMeta: 'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  putEvent: 'INSERT OR REPLACE INTO events (key, put_at, head, body) VALUES (?, ?, ?, ?)',
  removeEvent: 'DELETE FROM events WHERE key = ?',
  putTold: `INSERT INTO told (uid, watch, told, counted_at, run) VALUES (?, ?, ?, ?, ?) ON CONFLICT (uid) DO UPDATE SET
    watch = excluded.watch, told = excluded.told, counted_at = coalesce(told.counted_at, excluded.counted_at),
    run = excluded.run`,
  removeTold: 'DELETE FROM told WHERE uid = ?',
  events: 'SELECT ordinal, key, put_at, head, body FROM events WHERE ordinal > ? ORDER BY ordinal LIMIT 500',
  told: 'SELECT ordinal, uid, watch, told, counted_at, run FROM told WHERE ordinal > ? ORDER BY ordinal LIMIT 5000',
} as const;

type Statements = Readonly<Record<keyof typeof statements, StatementSync>>;

/** The tables of an open database, which gets an id where it has none. */
export function outboxTables(db: DatabaseSync): OutboxTables {
  const prepared = Object.entries(statements).map(([name, sql]) => [name, db.prepare(sql)]);
  const sql: Statements = Object.fromEntries(prepared);
  if (!sql.meta.all().some(({ name }) => name === 'id')) sql.setMeta.run('id', randomUUID());
  return {
    state: () => readState(sql),
    write: (ask) => transaction(db, () => writeAll(db, sql, ask)),
    removeOnly: (ask) => transaction(db, () => remove(sql, ask)),
    events: (after) => readEvents(sql, after),
    told: (after) => readTold(sql, after),
  };
}

function transaction(db: DatabaseSync, work: () => void): void {
  db.exec('BEGIN');
  try {
    work();
    db.exec('COMMIT');
  } catch (error) {
    // A full disk has rolled back by itself already.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function writeAll(db: DatabaseSync, sql: Statements, ask: WriteAsk): void {
  if (ask.forgetTold) db.exec("DELETE FROM told; DELETE FROM meta WHERE name <> 'id'");
  remove(sql, ask);
  for (const { uid, watch, told, countedAt, run } of ask.told) sql.putTold.run(uid, watch, told, countedAt, run);
  let offset = 0;
  for (const { key, putAtMs, head, bytes } of ask.events) {
    sql.putEvent.run(key, putAtMs, head, ask.bodies.subarray(offset, offset + bytes));
    offset += bytes;
  }
  for (const [watch, version] of ask.marks) sql.setMeta.run(`mark ${watch}`, version);
  for (const watch of ask.complete) sql.setMeta.run(`complete ${watch}`, '');
}

function remove(sql: Statements, { removals, forgotten }: WriteAsk): void {
  for (const key of removals) sql.removeEvent.run(key);
  for (const uid of forgotten) sql.removeTold.run(uid);
}

function readState(sql: Statements): OutboxState {
  const meta = sql.meta.all().map(({ name, value }) => ({ name: String(name), value: String(value) }));
  const under = (prefix: string) =>
    meta
      .filter(({ name }) => name.startsWith(prefix))
      .map((row) => [row.name.slice(prefix.length), row.value] as const);
  return {
    id: meta.find(({ name }) => name === 'id')?.value ?? '',
    marks: Object.fromEntries(under('mark ')),
    complete: under('complete ').map(([watch]) => watch),
  };
}

function readEvents(sql: Statements, after: number): EventPage {
  const found = sql.events.all(after);
  const bodies = found.map(({ body }) => (body instanceof Uint8Array ? body : new Uint8Array()));
  const rows = found.map(
    ({ key, put_at, head }, index): EventRecord => ({
      key: String(key),
      putAtMs: Number(put_at),
      head: String(head),
      bytes: bodies[index]?.byteLength ?? 0,
    }),
  );
  return { rows, bodies: new Uint8Array(Buffer.concat(bodies)), last: lastOf(found) };
}

function readTold(sql: Statements, after: number): ToldPage {
  const found = sql.told.all(after);
  const rows = found.map(
    ({ uid, watch, told, counted_at, run }): ToldRecord => ({
      uid: String(uid),
      watch: String(watch),
      told: Number(told),
      countedAt: counted_at === null ? null : String(counted_at),
      run: String(run),
    }),
  );
  return { rows, last: lastOf(found) };
}

function lastOf(found: readonly Record<string, unknown>[]): number | undefined {
  const ordinal = found.at(-1)?.ordinal;
  return typeof ordinal === 'number' ? ordinal : undefined;
}
