import { earlierVersion, laterVersion } from '../kube/version.ts';
import type { CheckpointBook } from './book.ts';
import type { Checkpoint, Mark } from './checkpoint.ts';

/** How far this process has counted, in all its terms together. */
interface Counted {
  /** The book of a term that goes on from this checkpoint, followed as it is written. */
  followed(book: CheckpointBook, before: Checkpoint | undefined): CheckpointBook;
  /**
   * The checkpoint for a term that begins now: what was counted here, scraped or not, counts as observed, since the
   * counters that hold it are still exposed. What another replica has in a scrape does so too.
   */
  resumed(checkpoint: Checkpoint): Checkpoint;
  /** The server was put back: versions after this one mean other things now. */
  putBack(to: string): void;
}

/** Nothing counted yet. One a process; it holds a version a watch. */
export function createCounted(): Counted {
  const versions = new Map<string, string>();
  const later = (watch: string, version: string) => laterVersion(versions.get(watch), version) ?? version;

  return {
    followed: (book, before) => ({
      ...book,
      reached: (watch, version) => {
        versions.set(watch, later(watch, version));
        book.reached(watch, version);
      },
      listed: (watch, version) => {
        // The list of the mark shows the past. Any other says how far things have come, be it on a server put back.
        const ofMark = version === before?.marks[watch]?.acked;
        versions.set(watch, ofMark ? later(watch, version) : version);
        book.listed(watch, version);
      },
    }),
    resumed: (checkpoint) => {
      const mark = ([watch, { acked, observed }]: [string, Mark]): [string, Mark] => [
        watch,
        { acked, observed: laterVersion(observed, versions.get(watch)) },
      ];
      return { ...checkpoint, marks: Object.fromEntries(Object.entries(checkpoint.marks).map(mark)) };
    },
    putBack: (to) => {
      for (const [watch, version] of versions) versions.set(watch, earlierVersion(to, version) ?? to);
    },
  };
}
