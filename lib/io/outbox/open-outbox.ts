import type { Outbox } from '../../outbox/outbox.ts';
import { DiskOutbox } from './disk-outbox.ts';
import type { OutboxOptions } from './outbox-options.ts';

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
