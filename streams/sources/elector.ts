import { type KubeApi, KubeError, type KubeFailure, leaseType } from '../../lib/kube/api.ts';
import { compareVersions } from '../../lib/kube/version.ts';
import {
  heldLease,
  type LeaseTimes,
  mayTake,
  type Role,
  releasedLease,
  type Seen,
  seenLease,
  stillOurs,
} from '../../lib/leader/lease.ts';
import type { Log } from '../../lib/log.ts';
import { field, text } from '../../lib/run/fields.ts';
import type { Resource } from '../../lib/run/run.ts';
import { versionOf } from './read-resources.ts';

/** Takes a Lease, keeps it, and carries annotations on it. */
export interface Elector {
  /** Takes or renews the lease; what we are afterwards. Never rejects; one at a time. */
  attempt(): Promise<Role>;
  /** Whether we may act at this very moment: false from the renew deadline on, however late a timer fires. */
  holds(): boolean;
  /** The version of the lease as last read or written; undefined where there never was one. */
  version(): string | undefined;
  /** An annotation as it stood when the lease was last read or written. */
  annotation(key: string): string | undefined;
  /** Gives the lease up, annotations written a last time, once the attempt under way is over. Never rejects. */
  release(): Promise<void>;
}

interface Options {
  readonly api: Pick<KubeApi, 'get' | 'create' | 'update'>;
  readonly namespace: string;
  readonly name: string;
  /** Names this process among all that want the lease; never used again by another. */
  readonly identity: string;
  readonly times: LeaseTimes;
  /** False: takes the lease whoever holds it. For a single replica that needs only what stands in it. */
  readonly contest: boolean;
  /** What to write beside the record; asked at each write. */
  readonly annotations: () => Readonly<Record<string, string>>;
  /** Ms on a clock that no administrator turns. */
  readonly monotonicMs: () => number;
  readonly wallMs: () => number;
  /** The version of the lease as last had in a former life of this process. */
  readonly lastVersion?: string | undefined;
  /**
   * The server was put back to an earlier state: the lease is there in an earlier version than before, which is one of
   * the past that still holds. Undefined: it was not there, and none is known.
   */
  readonly onPutBack?: (resourceVersion: string | undefined) => void;
  readonly log: Log;
}

/** Failures of a write that say that the lease is not as we left it. */
const changed: ReadonlySet<KubeFailure> = new Set(['conflict', 'absent']);

/** One request may take this long, so that two fit before the renew deadline. */
const requestMs = 4_000;

/**
 * A candidate for the lease.
 *
 * Another's lease is free when its record has not changed for its duration on our own clock, so that clocks need
 * not agree. Ours ends, for us, `renewDeadlineMs` after the start of the last renewal that succeeded, which is
 * before anybody else may take it.
 */
export function createElector(options: Options): Elector {
  const { api, namespace, name, identity, times, contest, monotonicMs } = options;
  const trouble = createTrouble(options.log);
  /** The lease as last read or written. */
  let lease: Resource | undefined;
  /** Its last version, also once it is gone; that of a former life until it is read. */
  let version = options.lastVersion;
  let seen: Seen | undefined;
  /** The lease as we last wrote it; undefined while another's. */
  let ours: Resource | undefined;
  let renewedMs = Number.NEGATIVE_INFINITY;

  const holds = () => ours !== undefined && monotonicMs() - renewedMs < times.renewDeadlineMs;
  const signal = () => AbortSignal.timeout(requestMs);
  const written = () => ({ ...options, wallMs: options.wallMs(), annotations: options.annotations() });

  /** A version of the lease, and one that the server had before anything of now: versions go back with a server only. */
  const know = (now: string, past: string | undefined) => {
    const isBack = version !== undefined && compareVersions(now, version) < 0;
    version = now;
    if (!isBack) return;
    options.log.warn({}, 'the API server was put back to an earlier state, everything is listed again');
    options.onPutBack?.(past);
  };

  const look = async () => {
    lease = await orUndefined(api.get(leaseType, namespace, name, signal()));
    // One that is gone is its holder's to make again, for as long as it was held.
    if (lease === undefined) return;
    know(versionOf(lease), versionOf(lease));
    seen = seenLease(seen, lease, monotonicMs());
    if (ours !== undefined && !stillOurs(ours, lease, identity)) ours = undefined;
  };

  const put = async (object: Resource) => {
    const startedMs = monotonicMs();
    const create = lease === undefined;
    lease = await (create
      ? api.create(leaseType, namespace, object, signal())
      : api.update(leaseType, namespace, name, object, signal()));
    know(versionOf(lease), undefined);
    renewedMs = startedMs;
  };

  const isFree = () => !contest || seen === undefined || mayTake(seen, { identity, nowMs: monotonicMs() });

  const takeOrRenew = async () => {
    if (!holds()) {
      const led = ours !== undefined;
      await look();
      // Deposed: stand by for one turn, so that whoever listens starts over from what the other left.
      if (led && ours === undefined) return;
      if (!isFree()) return;
    }
    await hold();
  };

  const hold = async () => {
    await put(heldLease(lease, written()));
    ours = lease;
  };

  /** After a write that met another lease than ours, or none: see whose it is, and make it again where nobody has. */
  const lookAgain = async () => {
    await look();
    if (lease === undefined && holds()) await hold();
  };

  const attempt = async (): Promise<Role> => {
    try {
      await takeOrRenew();
      trouble.over();
    } catch (error) {
      trouble.met(error);
      if (error instanceof KubeError && changed.has(error.failure)) await lookAgain().catch(trouble.met);
    }
    if (ours === undefined) return 'standby';
    return holds() ? 'leading' : 'lapsed';
  };
  let underWay: Promise<unknown> = Promise.resolve();

  return {
    attempt: () => {
      const role = attempt();
      underWay = role;
      return role;
    },
    holds,
    version: () => version,
    annotation: (key) => text(field(lease, 'metadata'), 'annotations', key) || undefined,
    release: async () => {
      // Nobody listens to it any more, and yet it writes: our release would conflict with it and the lease stay held.
      await underWay;
      if (ours === undefined || !holds()) return;
      const held = ours;
      ours = undefined;
      await put(releasedLease(held, written())).catch(trouble.met);
    },
  };
}

async function orUndefined(answer: Promise<Resource>): Promise<Resource | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof KubeError && error.failure === 'absent') return undefined;
    throw error;
  }
}

/** Says the same trouble once, and when it is over. */
function createTrouble(log: Log) {
  let last: string | undefined;
  return {
    met: (error: unknown) => {
      const problem = error instanceof Error ? error.message : String(error);
      log[problem === last ? 'debug' : 'warn']({ problem }, 'the lease cannot be read or written');
      last = problem;
    },
    over: () => {
      if (last !== undefined) log.info({}, 'the lease can be written again');
      last = undefined;
    },
  };
}
