import { compareVersions, earlierVersion, laterVersion, versionBefore } from '../kube/version.ts';
import type { PendingEvent } from './checkpoint.ts';

interface ProgressOptions {
  readonly besideLimit?: number;
  /** The mark that the watch resumes from. */
  readonly from?: string | undefined;
}

/** What one watch has owed and what of it is settled. */
export interface Progress {
  /** The watch has come to this version: all it owes up to here was said by `owes`. */
  reached(version: string): void;
  /** A complete list stands at this version, be it before the one reached: the server was put back to it. */
  listed(version: string): void;
  /** The server was put back to this version. */
  putBack(to: string): void;
  /** How far the watch has come; undefined before it has come anywhere. */
  reachedVersion(): string | undefined;
  /** `key` names the owed event until it is settled. */
  owes(key: string, event: PendingEvent): void;
  /** Acknowledged, or dropped for good. */
  settled(key: string): void;
  /** Where a restart may go on, and what was still unsettled below that. */
  mark(): { readonly acked: string | undefined; readonly pending: readonly PendingEvent[] };
}

/**
 * Follows one watch from version to version.
 *
 * The mark is the version reached, with what is unsettled beside it; when more than `besideLimit` (100 by
 * default, which keeps the Lease small) are unsettled, it stays just below the first that has no place there.
 */
export function createProgress({ besideLimit = 100, from }: ProgressOptions = {}): Progress {
  const unsettled = new Map<string, PendingEvent>();
  let reached = from;
  return {
    reachedVersion: () => reached,
    reached: (version) => {
      reached = laterVersion(reached, version);
    },
    listed: (version) => {
      reached = version;
    },
    putBack: (to) => {
      reached = earlierVersion(to, reached);
    },
    owes: (key, event) => void unsettled.set(key, event),
    settled: (key) => void unsettled.delete(key),
    mark: () => {
      const byVersion = earliest(unsettled.values(), besideLimit + 1);
      const firstOutside = byVersion[besideLimit];
      const acked =
        firstOutside === undefined ? reached : earlierVersion(versionBefore(firstOutside.resourceVersion), reached);
      return { acked, pending: byVersion.slice(0, besideLimit) };
    },
  };
}

/** The `count` events of the earliest versions, earliest first. They come nearly sorted: most cost one comparison. */
function earliest(events: Iterable<PendingEvent>, count: number): PendingEvent[] {
  const found: PendingEvent[] = [];
  for (const event of events) {
    const after = (one: PendingEvent | undefined) =>
      one !== undefined && compareVersions(event.resourceVersion, one.resourceVersion) >= 0;
    if (found.length === count && after(found.at(-1))) continue;
    let at = found.length;
    while (at > 0 && !after(found[at - 1])) at -= 1;
    found.splice(at, 0, event);
    if (found.length > count) found.pop();
  }
  return found;
}
