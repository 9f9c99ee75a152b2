import type { ResourceType } from '../../lib/kube/api.ts';
import { compareVersions, earlierVersion } from '../../lib/kube/version.ts';

/** A list that is under way; it survives a failed page. */
export interface Listing {
  readonly at: 'present' | 'mark' | 'after-loss';
  /** '' asks for the first page. */
  readonly continueToken: string;
  readonly startedAtMs: number;
  /** Versions after this one were missed: they are read back with the list. Undefined: none was. */
  readonly since: string | undefined;
}

/** Where one watched resource stands; what is undefined is the next thing to do. */
export interface Place {
  type: ResourceType | undefined;
  /** The resource is not there: said once, looked for again and again. */
  absent: boolean;
  /** How often it was looked for in vain since it was last there. */
  lookedFor: number;
  /** The version to list at, until the first complete list. */
  mark: string | undefined;
  /** The version that a watch could not go on from; the list at the mark bridges the gap. */
  since: string | undefined;
  listing: Listing | undefined;
  /** The mark's history is gone: the next complete list says so. */
  lost: boolean;
  /** A continue token expired: the next list is asked for in one piece. */
  unpaged: boolean;
  /** The last version seen, from which a watch resumes; undefined: list first. */
  version: string | undefined;
  /** The version at which a malformed line came; a second one there means that it must be listed over. */
  malformedAt: string | undefined;
}

/** Nothing known, but a mark to begin from. */
export function firstPlace(mark: string | undefined): Place {
  return {
    type: undefined,
    absent: false,
    lookedFor: 0,
    mark,
    since: undefined,
    listing: undefined,
    lost: false,
    unpaged: false,
    version: undefined,
    malformedAt: undefined,
  };
}

/** Forgets how far the watch has come, so that the next thing is a list of the server's present. */
export function listOver(place: Place): void {
  place.mark = undefined;
  place.since = undefined;
  place.listing = undefined;
  place.version = undefined;
  place.malformedAt = undefined;
}

/**
 * Where to begin again once the server was put back to an earlier state, of which a version is known to hold or none;
 * undefined: nothing was seen beyond it, and all goes on from where it is.
 */
export function placePutBack({ version, mark, since, lost }: Place, to: string | undefined): Place | undefined {
  const furthest = version ?? mark;
  // A loss is told by a list of the present alone.
  if (furthest === undefined) return lost ? { ...firstPlace(undefined), lost } : firstPlace(to);
  if (to === undefined) return version === undefined ? undefined : firstPlace(undefined);
  return compareVersions(furthest, to) <= 0 ? undefined : firstPlace(earlierVersion(to, since) ?? to);
}
