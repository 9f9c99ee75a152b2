import { parentPort } from 'node:worker_threads';
import { appendLetters } from './dead-letter-file.ts';
import type {
  Ask,
  EventPage,
  LettersWritten,
  Opened,
  OutboxWorkerData,
  ToldPage,
  WriteAsk,
  Written,
} from './messages.ts';
import { causeOf, openDatabase } from './open-database.ts';
import { type OutboxTables, outboxTables } from './outbox-tables.ts';

interface Session {
  readonly data: OutboxWorkerData;
  tables: OutboxTables | undefined;
  close: () => void;
}

/** The worker's side of an outbox: answers each message, in order, until it is told to close. */
export function serveOutbox(data: OutboxWorkerData): void {
  const session: Session = { data, tables: undefined, close: () => {} };
  parentPort?.on('message', (ask: Ask) => {
    const answer = answerTo(session, ask);
    parentPort?.postMessage(answer, transferOf(answer));
    if (ask.type === 'close') parentPort?.close();
  });
}

type Answer = Opened | Written | EventPage | ToldPage | undefined;

function answerTo(session: Session, ask: Ask): Answer {
  if (ask.type === 'open') return open(session);
  const { tables } = session;
  if (tables === undefined) return undefined;
  if (ask.type === 'write') return write(session.data, tables, ask);
  if (ask.type === 'events') return tables.events(ask.after);
  if (ask.type === 'told') return tables.told(ask.after);
  session.close();
  return undefined;
}

function open(session: Session): Opened {
  const opened = openDatabase(session.data);
  if (!opened.ok) return opened;
  const { db, movedAside } = opened;
  session.tables = outboxTables(db);
  session.close = () => db.close();
  return { ok: true, state: session.tables.state(), movedAside };
}

function write(data: OutboxWorkerData, tables: OutboxTables, ask: WriteAsk): Written {
  const letters = lettersOf(data, ask);
  try {
    tables.write(ask);
    return { ok: true, letters };
  } catch (error) {
    const cause = causeOf(error);
    return { ok: false, cause, problem: problemOf(error), removed: cause === 'full' && removed(tables, ask), letters };
  }
}

/** Before the rows: a letter twice is better than none. What the file does not take must not keep the rows back. */
function lettersOf({ dir, deadLetterLimitBytes }: OutboxWorkerData, { letters }: WriteAsk): LettersWritten | string {
  if (letters.length === 0) return { refused: 0 };
  try {
    return appendLetters(dir, letters, deadLetterLimitBytes);
  } catch (error) {
    return problemOf(error);
  }
}

function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function removed(tables: OutboxTables, ask: WriteAsk): boolean {
  try {
    tables.removeOnly(ask);
    return true;
  } catch {
    // The whole is tried again in a while, the removals with it.
    return false;
  }
}

function transferOf(answer: Answer): ArrayBuffer[] {
  return answer !== undefined && 'bodies' in answer && answer.bodies.buffer instanceof ArrayBuffer
    ? [answer.bodies.buffer]
    : [];
}
