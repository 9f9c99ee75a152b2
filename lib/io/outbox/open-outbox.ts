import type { BackoffPolicy } from '../../backoff.ts';
import type { Log } from '../../log.ts';
import type { Measure } from '../../metrics/own.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import { DiskOutbox } from './disk-outbox.ts';

export interface OutboxOptions {
  /** Made where it is not there. */
  readonly dir: string;
  readonly log: Log;
  readonly measure: Measure;
  /** Wall clock, ms. */
  readonly now: () => number;
  /** Most that the database may take; default what the disk has. */
  readonly limitBytes?: number;
  /** Most that the dead letters may take; default 64 MiB. */
  readonly deadLetterLimitBytes?: number;
  /** How long what is said gathers before it is written; default 1 s. */
  readonly gatherMs?: number;
  /** Between two tries to write; default 1 s, growing to 1 min. */
  readonly retry?: Pick<BackoffPolicy, 'initialMs' | 'maxMs'>;
}

/**
 * Opens the data dir, which is ours alone until `close` or the end of the process.
 *
 * Rejects with one sentence when it cannot be had: no directory that can be written, a database of a newer version, or
 * another process that has it open. A database that cannot be read is moved aside, which the log says.
 */
export async function openOutbox(options: OutboxOptions): Promise<Outbox> {
  const outbox = new DiskOutbox(options);
  await outbox.open();
  return outbox;
}
