import type { BackoffPolicy } from '../../backoff.ts';
import type { Log } from '../../log.ts';
import type { Measure } from '../../metrics/own.ts';

/** What a data dir is opened with. */
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
