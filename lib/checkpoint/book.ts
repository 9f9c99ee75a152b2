import type { OutgoingEvent } from '../events/outgoing.ts';
import { earlierVersion } from '../kube/version.ts';
import type { Run } from '../run/run.ts';
import type { Checkpoint, Mark, PendingEvent } from './checkpoint.ts';
import { createProgress, type Progress } from './progress.ts';

/** How far all watches have come, kept while we lead, written into the Lease. */
export interface CheckpointBook {
  /** The watch has come to this version. */
  reached(watch: string, version: string): void;
  /** The watch has a complete list at this version; a server put back to the past has earlier ones than before. */
  listed(watch: string, version: string): void;
  /** The server was put back: nothing that came after this version holds any more. */
  putBack(to: string): void;
  /** A run was observed; its transition time may be the greatest seen. */
  observed(run: Run): void;
  /** These events wait from now on. */
  owes(watch: string, events: readonly OutgoingEvent[]): void;
  /** The event was acknowledged, or dropped for good. */
  settled(event: OutgoingEvent): void;
  /**
   * What the checkpoint before listed as unacknowledged was read back: what of it is still owed has been said. Until
   * then it stands in every checkpoint, since the lease may be renewed long before the API server has answered.
   */
  resumed(): void;
  /** A scrape or export begins; call what it gives when that has been completed. */
  beginScrape(): () => void;
  checkpoint(nowMs: number): Checkpoint;
}

/** One book a term of leading. It goes on from the checkpoint that the term began with. */
export function createCheckpointBook(before: Checkpoint | undefined): CheckpointBook {
  const watches = new Map<string, Progress>();
  const watchOf = new Map<string, Progress>();
  const scraped = new Map(Object.entries(before?.marks ?? {}).map(([watch, mark]) => [watch, mark.observed]));
  let unread = before?.pending ?? [];
  let greatestTransitionMs = before?.greatestTransitionMs ?? 0;

  const progressOf = (watch: string): Progress => {
    const known = watches.get(watch) ?? createProgress({ from: before?.marks[watch]?.acked });
    watches.set(watch, known);
    return known;
  };
  for (const watch of Object.keys(before?.marks ?? {})) progressOf(watch);

  return {
    reached: (watch, version) => progressOf(watch).reached(version),
    listed: (watch, version) => progressOf(watch).listed(version),
    putBack: (to) => {
      for (const progress of watches.values()) progress.putBack(to);
      for (const [watch, version] of scraped) scraped.set(watch, earlierVersion(to, version));
    },
    observed: ({ condition }) => {
      greatestTransitionMs = Math.max(greatestTransitionMs, condition?.transitionTimeMs ?? 0);
    },
    owes: (watch, events) => {
      const progress = progressOf(watch);
      for (const event of events) {
        const key = keyOf(event);
        progress.owes(key, event);
        watchOf.set(key, progress);
      }
    },
    settled: (event) => {
      const key = keyOf(event);
      watchOf.get(key)?.settled(key);
      watchOf.delete(key);
    },
    resumed: () => {
      unread = [];
    },
    beginScrape: () => {
      const versions = [...watches].map(([watch, progress]) => [watch, progress.reachedVersion()] as const);
      return () => {
        for (const [watch, version] of versions) scraped.set(watch, version);
      };
    },
    checkpoint: (savedMs) => {
      const marks = [...watches].map(([watch, progress]) => ({ watch, ...progress.mark() }));
      const mark = ({ watch, acked }: (typeof marks)[number]): [string, Mark] => [
        watch,
        { acked, observed: scraped.get(watch) },
      ];
      return {
        savedMs,
        greatestTransitionMs,
        marks: Object.fromEntries(marks.map(mark)),
        pending: [...unread, ...marks.flatMap(({ pending }) => pending.map(pendingOf))],
      };
    },
  };
}

/** One step may owe two events of one id's worth of fields; their sequences differ. */
function keyOf({ uid, sequence }: OutgoingEvent): string {
  return `${uid} ${sequence}`;
}

// Made of the few that a checkpoint lists, not of each event that is owed.
function pendingOf({ id, kind, namespace, name, uid, resourceVersion, sequence, word }: PendingEvent): PendingEvent {
  return { id, kind, namespace, name, uid, resourceVersion, sequence, word };
}
