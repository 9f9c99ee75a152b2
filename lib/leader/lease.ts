import { field, text } from '../run/fields.ts';
import type { Resource } from '../run/run.ts';

/** Leader election's times; the defaults are those of client-go. */
export interface LeaseTimes {
  /** A lease whose record has not changed for this long is free. */
  readonly durationMs: number;
  /** A leader that could not renew for this long stops leading. */
  readonly renewDeadlineMs: number;
  /** Between two attempts to take or renew. */
  readonly retryMs: number;
}

export const leaseTimes: LeaseTimes = { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };

/**
 * What a candidate is: `leading` may act; `lapsed` led, could not renew in time and may not act, but nobody has taken
 * the lease since, so that what it knows is still right; `standby` is everybody else.
 */
export type Role = 'leading' | 'lapsed' | 'standby';

/** A lease as it was last seen to change, and when that was on our own monotonic clock. */
export interface Seen {
  readonly lease: Resource;
  readonly atMs: number;
}

/** Who holds it; '' when nobody does, or there is no lease yet. */
export function holderOf(lease: Resource | undefined): string {
  return text(lease, 'spec', 'holderIdentity');
}

/** Whether the lease has been `identity`'s without a break since `ours` was written. */
export function stillOurs(ours: Resource, lease: Resource, identity: string): boolean {
  const transitionsOf = (one: Resource) => field(field(one, 'spec'), 'leaseTransitions');
  return holderOf(lease) === identity && transitionsOf(ours) === transitionsOf(lease);
}

/** When the record last changed, by our own clock: no two machines' clocks are ever compared. */
export function seenLease(before: Seen | undefined, lease: Resource, nowMs: number): Seen {
  const recordOf = (one: Resource) => JSON.stringify(field(one, 'spec'));
  return before !== undefined && recordOf(before.lease) === recordOf(lease) ? before : { lease, atMs: nowMs };
}

/** Whether `identity` may take the lease: nobody holds it, we do, or its holder has been silent for its duration. */
export function mayTake({ lease, atMs }: Seen, { identity, nowMs }: { identity: string; nowMs: number }): boolean {
  const holder = holderOf(lease);
  const seconds = field(field(lease, 'spec'), 'leaseDurationSeconds');
  const durationMs = typeof seconds === 'number' ? seconds * 1000 : leaseTimes.durationMs;
  return holder === '' || holder === identity || nowMs - atMs > durationMs;
}

interface Written {
  readonly identity: string;
  readonly namespace: string;
  readonly name: string;
  readonly times: LeaseTimes;
  /** Wall clock, ms since the epoch: for people who read the lease; nobody judges by it. */
  readonly wallMs: number;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The lease as its holder writes it: taken when it was another's, renewed when it was ours. */
export function heldLease(before: Resource | undefined, written: Written): Resource {
  const { identity, times, wallMs } = written;
  const taken = holderOf(before) !== identity;
  const nowText = microTime(wallMs);
  const transitions = Number(field(field(before, 'spec'), 'leaseTransitions') ?? 0);
  return leaseObject(before, written, {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(times.durationMs / 1000),
    acquireTime: taken ? nowText : text(before, 'spec', 'acquireTime') || nowText,
    renewTime: nowText,
    leaseTransitions: before !== undefined && taken ? transitions + 1 : transitions,
  });
}

/** The lease as a leaving holder writes it: free to take at once. */
export function releasedLease(before: Resource, written: Written): Resource {
  return leaseObject(before, written, {
    ...(field(before, 'spec') as object),
    holderIdentity: '',
    leaseDurationSeconds: 1,
    renewTime: microTime(written.wallMs),
  });
}

function leaseObject(before: Resource | undefined, { namespace, name, annotations }: Written, spec: object): Resource {
  const metadata = field(before, 'metadata') as object | undefined;
  const kept = field(metadata, 'annotations') as object | undefined;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { ...metadata, namespace, name, annotations: { ...kept, ...annotations } },
    spec,
  };
}

/** Lease times are MicroTime: RFC 3339 with six digits. */
function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace('Z', '000Z');
}
