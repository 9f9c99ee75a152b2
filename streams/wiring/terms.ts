import { concat, defer, type Observable, Subject, tap } from 'rxjs';
import type { RunOptions } from '../../config/process/run-options.ts';
import { type CheckpointBook, createCheckpointBook } from '../../lib/checkpoint/book.ts';
import { type Checkpoint, checkpointText, readCheckpoint } from '../../lib/checkpoint/checkpoint.ts';
import { createCounted } from '../../lib/checkpoint/counted.ts';
import type { KubeApi } from '../../lib/kube/api.ts';
import { compareVersions, earlierVersion } from '../../lib/kube/version.ts';
import type { Role } from '../../lib/leader/lease.ts';
import type { Log } from '../../lib/log.ts';
import { leaseMark, type Outbox } from '../../lib/outbox/outbox.ts';
import { createElector } from '../sources/elector.ts';
import { leadership } from '../sources/leadership.ts';

/** Terms of leading: what we are, whether we may act, and how far each term has come. */
export interface Terms {
  readonly role$: Observable<Role>;
  /** The server was put back to an earlier state, see `watchResource`. */
  readonly putBack$: Observable<string | undefined>;
  /** Whether we may act at this very moment. */
  readonly mayAct: () => boolean;
  /** Begins a term; what it goes on from. What this process has counted in a term before counts as observed. */
  begin(): Checkpoint | undefined;
  /** The book of the term, undefined before the first. */
  readonly book: () => CheckpointBook | undefined;
  /** Writes the checkpoint now, whenever it was last written. */
  save(): void;
  /** Writes the checkpoint a last time and gives the lease up. */
  release(): Promise<void>;
}

interface Options {
  readonly api: Pick<KubeApi, 'get' | 'create' | 'update'>;
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
  /** The data dir: it is named in the checkpoints that are written, and knows the Lease's version. */
  readonly outbox?: Pick<Outbox, 'state' | 'reached' | 'forgetTold'> | undefined;
  readonly log: Log;
}

const neverWritten = { atMs: Number.NEGATIVE_INFINITY, text: '' };

/** A checkpoint older than this counts as none: nobody wants to hear of yesterday as if it were now. */
const staleMs = 24 * 60 * 60 * 1000;

/** Leading by a Lease that carries the checkpoint as an annotation. */
export function createTerms({ api, options, identity, outbox, log }: Options): Terms {
  const { profile, leaseNamespace, leaderElect, leaseName, checkpointIntervalMs } = options;
  const times = {
    durationMs: options.leaseDurationMs,
    renewDeadlineMs: options.leaseRenewDeadlineMs,
    retryMs: options.leaseRetryMs,
  };
  const key = `${profile.apiGroup}/checkpoint`;
  const counted = createCounted();
  let book: CheckpointBook | undefined;
  let written = neverWritten;
  /** Of a term that began without a checkpoint, until its own is written: `saving` once all was listed. */
  let baseline: 'wanted' | 'saving' | undefined;
  /**
   * The earliest version that the server was put back to since the last term began. What the data dir says of runs may
   * be of a past that was undone: nobody goes on from it, and a watch that has yet to begin is told.
   */
  let undoneAfter: string | undefined;
  const hurry$ = new Subject<void>();
  const putBack$ = new Subject<string | undefined>();
  /** A monotonic clock: nobody puts it back by an hour, in which nothing would be written. */
  const nowMs = () => performance.now();

  const annotations = (): Readonly<Record<string, string>> => {
    if (book === undefined) return {};
    if (nowMs() - written.atMs >= checkpointIntervalMs) {
      const checkpoint = {
        ...book.checkpoint(Date.now()),
        ...(outbox && undoneAfter === undefined && { outbox: outbox.state().id }),
      };
      written = { atMs: nowMs(), text: checkpointText(checkpoint) };
    }
    return { [key]: written.text };
  };
  /** What is known to have happened later was undone, and is not to be written as if it still held. */
  const putBackTo = (version: string) => {
    counted.putBack(version);
    book?.putBack(version);
    written = neverWritten;
    undoneAfter = earlierVersion(version, undoneAfter) ?? version;
    for (const [watch, mark] of Object.entries(outbox?.state().marks ?? {})) {
      if (watch !== leaseMark && compareVersions(mark, version) > 0) outbox?.reached(watch, version);
    }
  };
  const elector = createElector({
    api,
    namespace: leaseNamespace,
    name: leaseName,
    identity,
    times,
    contest: leaderElect,
    annotations,
    monotonicMs: nowMs,
    wallMs: Date.now,
    lastVersion: outbox?.state().marks[leaseMark],
    onPutBack: (version) => {
      const present = version ?? elector.version();
      if (present !== undefined) putBackTo(present);
      putBack$.next(version);
    },
    log,
  });

  const attempt = async () => {
    const role = await elector.attempt();
    const version = elector.version();
    // Until a term has begun that forgets what was undone, the next life is to find it out too.
    if (role === 'leading' && version !== undefined && book !== undefined && undoneAfter === undefined) {
      outbox?.reached(leaseMark, version);
    }
    if (baseline === 'saving' && elector.annotation(key) === written.text) {
      baseline = undefined;
      log.info({}, 'the baseline is written, what happens from here on is told also after a crash');
    }
    return role;
  };

  return {
    role$: leadership({ elector: { attempt }, times, hurry$, log }).pipe(
      tap((role) => {
        // Taking the lease again must not write our old checkpoint over that of whoever led in between.
        if (role === 'standby') book = undefined;
      }),
    ),
    putBack$: defer(() => concat(undoneAfter === undefined ? [] : [undoneAfter], putBack$)),
    mayAct: elector.holds,
    book: () => book,
    begin: () => {
      if (undoneAfter !== undefined) outbox?.forgetTold();
      const found = readCheckpoint(elector.annotation(key));
      const stale = found !== undefined && Date.now() - found.savedMs > staleMs;
      if (found === undefined || stale) log.info({ stale }, 'no checkpoint, what is there now is the baseline');
      const checkpoint = stale ? undefined : found;
      undoneAfter = undefined;
      baseline = checkpoint === undefined ? 'wanted' : undefined;
      book = counted.followed(createCheckpointBook(checkpoint), checkpoint);
      written = neverWritten;
      return checkpoint && counted.resumed(checkpoint);
    },
    save: () => {
      baseline &&= 'saving';
      written = neverWritten;
      hurry$.next();
    },
    release: () => {
      written = neverWritten;
      return elector.release();
    },
  };
}
