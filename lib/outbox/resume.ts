import type { Checkpoint, Mark, PendingEvent } from '../checkpoint/checkpoint.ts';
import type { OutgoingEvent } from '../events/outgoing.ts';
import { compareVersions, laterVersion } from '../kube/version.ts';
import { kindNames } from '../run/kind.ts';
import type { Known } from '../run/observe.ts';
import { type KeptEvent, type KeptTold, leaseMark, type OutboxState } from './outbox.ts';

/** What a term of leading goes on from, when the Lease and the data dir have both spoken. */
export interface Resumption {
  /** Nobody led since this data dir was written: it knows more than the Lease. */
  readonly ours: boolean;
  /** The Lease's, with the marks of the data dir where they are ours and later. */
  readonly checkpoint: Checkpoint | undefined;
  /** Watches whose told table can be relied on. */
  readonly told: ReadonlySet<string>;
}

/** Whether the data dir goes on from where the Lease stands, and from where. */
export function resumption(checkpoint: Checkpoint | undefined, { id, marks, complete }: OutboxState): Resumption {
  if (checkpoint === undefined || checkpoint.outbox !== id) return { ours: false, checkpoint, told: new Set() };
  const merged = new Map<string, Mark>(Object.entries(checkpoint.marks));
  for (const [watch, version] of Object.entries(marks)) {
    if (watch === leaseMark) continue;
    const mark = merged.get(watch);
    merged.set(watch, { acked: laterVersion(mark?.acked, version), observed: mark?.observed });
  }
  return { ours: true, checkpoint: { ...checkpoint, marks: Object.fromEntries(merged) }, told: new Set(complete) };
}

/** What becomes of the events in the data dir when a term begins. */
export interface Sorted {
  readonly deliver: readonly OutgoingEvent[];
  /** Whoever led in between has told them. */
  readonly toldElsewhere: readonly OutgoingEvent[];
  /** Older than anyone waits. */
  readonly tooOld: readonly OutgoingEvent[];
  /** Unacknowledged events of the Lease that the data dir does not hold: to be read back from the API server. */
  readonly missing: readonly PendingEvent[];
}

interface SortOptions {
  readonly resumption: Resumption;
  /** Of the data dir: what it had committed when the term began. */
  readonly marks: OutboxState['marks'];
  readonly nowMs: number;
  readonly giveUpAfterMs: number;
}

/** Sorts what stands in the data dir and in the Lease. */
export function sortKept(kept: readonly KeptEvent[], options: SortOptions): Sorted {
  const { resumption, nowMs, giveUpAfterMs } = options;
  const { checkpoint, ours } = resumption;
  const pending = checkpoint?.pending ?? [];
  const pendingIds = new Set(pending.map(({ id }) => id));
  const elsewhere = (event: OutgoingEvent) =>
    !ours && !pendingIds.has(event.id) && passed(event, markOf(event, checkpoint?.marks)?.acked);
  const [toldElsewhere, rest] = split(kept, ({ event }) => elsewhere(event));
  const [tooOld, deliver] = split(rest, ({ putAtMs }) => nowMs - putAtMs >= giveUpAfterMs);
  const keptIds = new Set(kept.map(({ event }) => event.id));
  const settled = (event: PendingEvent) => ours && passed(event, markOf(event, options.marks));
  return {
    deliver: deliver.map(({ event }) => event),
    toldElsewhere: toldElsewhere.map(({ event }) => event),
    tooOld: tooOld.map(({ event }) => event),
    missing: pending.filter((event) => !keptIds.has(event.id) && !settled(event)),
  };
}

/** Of a table by watch, what holds for an event. */
export function markOf<T>(
  { kind, namespace }: Pick<OutgoingEvent, 'kind' | 'namespace'>,
  marks: Readonly<Record<string, T>> = {},
): T | undefined {
  const { plural } = kindNames[kind];
  return marks[`${plural}/${namespace}`] ?? marks[plural];
}

/**
 * What was told of the runs of one watch, by uid. A run that was counted after the last scrape counts as not counted:
 * nobody has seen that number, and it began at 0 again.
 */
export function toldOf(
  rows: readonly KeptTold[],
  watch: string,
  countedTo: string | undefined,
): readonly (readonly [string, Known])[] {
  return rows
    .filter((row) => row.watch === watch)
    .map(({ known, countedAt }) => {
      const unseen = countedAt !== undefined && countedTo !== undefined && compareVersions(countedAt, countedTo) > 0;
      return [known.run.uid, unseen ? { ...known, counted: false } : known];
    });
}

function passed({ resourceVersion }: Pick<OutgoingEvent, 'resourceVersion'>, mark: string | undefined): boolean {
  return mark !== undefined && compareVersions(resourceVersion, mark) <= 0;
}

function split<T>(all: readonly T[], wanted: (one: T) => boolean): [T[], T[]] {
  return [all.filter(wanted), all.filter((one) => !wanted(one))];
}
