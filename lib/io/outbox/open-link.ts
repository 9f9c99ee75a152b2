import type { OutboxState } from '../../outbox/outbox.ts';
import type { OutboxOptions } from './outbox-options.ts';
import { startWorker, type WorkerLink } from './worker-link.ts';

/** A worker that has the data dir open. */
interface OpenLink {
  readonly link: WorkerLink;
  readonly state: OutboxState;
  /** What stood there before could not be read; where it is now. */
  readonly movedAside: string | undefined;
}

const defaultLetterBytes = 64 * 1024 * 1024;

/** Starts a worker on the data dir. Rejects with one sentence when it cannot be had. */
export async function openLink(
  options: Pick<OutboxOptions, 'dir' | 'limitBytes' | 'deadLetterLimitBytes'>,
): Promise<OpenLink> {
  const { dir, limitBytes, deadLetterLimitBytes = defaultLetterBytes } = options;
  const link = startWorker({ role: 'outbox', dir, limitBytes, deadLetterLimitBytes });
  const opened = await link.ask({ type: 'open' });
  if (opened.ok) return { link, state: opened.state, movedAside: opened.movedAside };
  await link.end();
  throw new Error(opened.refusal);
}
