import { defer, distinctUntilChanged, mergeMap, type Observable } from 'rxjs';
import { type MapVersion, readConfigMap, sameVersion } from '../../config/config-map.ts';
import type { WatchEvent } from '../../lib/kube/watch-event.ts';
import type { Resource } from '../../lib/run/run.ts';

/**
 * The versions of one config map, from a watch on it alone; undefined while there is none.
 *
 * A list counts when it is complete, so that a relist never looks like a deletion; a version seen twice comes once.
 */
export function mapVersion(watch$: Observable<WatchEvent<Resource>>): Observable<MapVersion> {
  return defer(() => {
    let listing = false;
    let listed: MapVersion;
    const versionsOf = (event: WatchEvent<Resource>): readonly MapVersion[] => {
      if (event.type === 'relisting') [listing, listed] = [true, undefined];
      if (event.type === 'absent') return endList([undefined]);
      if (event.type === 'listed') return listing ? endList([listed]) : [];
      if (event.type !== 'applied' && event.type !== 'deleted') return [];
      const version = event.type === 'applied' ? readConfigMap(event.object) : undefined;
      if (!listing) return [version];
      listed = version;
      return [];
    };
    const endList = (versions: readonly MapVersion[]) => {
      listing = false;
      return versions;
    };
    return watch$.pipe(mergeMap(versionsOf), distinctUntilChanged(sameVersion));
  });
}
