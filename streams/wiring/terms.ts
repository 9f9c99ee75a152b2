import type { Observable } from 'rxjs';
import type { RunOptions } from '../../config/process/run-options.ts';
import { type CheckpointBook, createCheckpointBook } from '../../lib/checkpoint/book.ts';
import { type Checkpoint, checkpointText, readCheckpoint } from '../../lib/checkpoint/checkpoint.ts';
import type { KubeApi } from '../../lib/kube/api.ts';
import type { Role } from '../../lib/leader/lease.ts';
import type { Log } from '../../lib/log.ts';
import { createElector } from '../sources/elector.ts';
import { leadership } from '../sources/leadership.ts';

/** Terms of leading: what we are, whether we may act, and how far each term has come. */
export interface Terms {
  readonly role$: Observable<Role>;
  /** Whether we may act at this very moment. */
  readonly mayAct: () => boolean;
  /** Begins a term; what it goes on from. */
  begin(): Checkpoint | undefined;
  /** The book of the term, undefined before the first. */
  readonly book: () => CheckpointBook | undefined;
  /** Writes the checkpoint a last time and gives the lease up. */
  release(): Promise<void>;
}

interface Options {
  readonly api: KubeApi;
  readonly options: Pick<
    RunOptions,
    | 'profile'
    | 'leaseNamespace'
    | 'leaderElect'
    | 'leaseName'
    | 'leaseDurationMs'
    | 'leaseRenewDeadlineMs'
    | 'leaseRetryMs'
    | 'checkpointIntervalMs'
  >;
  readonly identity: string;
  readonly log: Log;
}

/** A checkpoint older than this counts as none: nobody wants to hear of yesterday as if it were now. */
const staleMs = 24 * 60 * 60 * 1000;

/** Leading by a Lease that carries the checkpoint as an annotation. */
export function createTerms({ api, options, identity, log }: Options): Terms {
  const { profile, leaseNamespace, leaderElect, leaseName, checkpointIntervalMs } = options;
  const times = {
    durationMs: options.leaseDurationMs,
    renewDeadlineMs: options.leaseRenewDeadlineMs,
    retryMs: options.leaseRetryMs,
  };
  const key = `${profile.apiGroup}/checkpoint`;
  let book: CheckpointBook | undefined;
  let written = { atMs: Number.NEGATIVE_INFINITY, text: '' };

  const annotations = (): Readonly<Record<string, string>> => {
    if (book === undefined) return {};
    if (Date.now() - written.atMs >= checkpointIntervalMs) {
      written = { atMs: Date.now(), text: checkpointText(book.checkpoint(Date.now())) };
    }
    return { [key]: written.text };
  };
  const elector = createElector({
    api,
    namespace: leaseNamespace,
    name: leaseName ?? profile.component,
    identity,
    times,
    contest: leaderElect,
    annotations,
    monotonicMs: () => performance.now(),
    wallMs: Date.now,
    log,
  });

  return {
    role$: leadership({ elector, times, log }),
    mayAct: elector.holds,
    book: () => book,
    begin: () => {
      const found = readCheckpoint(elector.annotation(key));
      const stale = found !== undefined && Date.now() - found.savedMs > staleMs;
      if (found === undefined || stale) log.info({ stale }, 'no checkpoint, what is there now is the baseline');
      const checkpoint = stale ? undefined : found;
      book = createCheckpointBook(checkpoint);
      return checkpoint;
    },
    release: () => {
      written = { ...written, atMs: Number.NEGATIVE_INFINITY };
      return elector.release();
    },
  };
}
