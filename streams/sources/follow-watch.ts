import type { KubeError, ResourceType, WatchLine } from '../../lib/kube/api.ts';
import { errorLine } from '../../lib/kube/failure.ts';
import { compareVersions } from '../../lib/kube/version.ts';
import { versionOf } from './read-resources.ts';
import { sayPresent } from './say-present.ts';
import { selectorOf } from './watch-options.ts';
import { listOver, type Place } from './watch-place.ts';
import type { Watching } from './watching.ts';

/**
 * One watch from the place's version until the server ends it; each line is told, and the place moves with it.
 *
 * Rejects as `KubeApi.watch` does.
 */
export async function followWatch<T>(
  watching: Watching<T>,
  place: Place,
  type: ResourceType,
  resourceVersion: string,
): Promise<void> {
  const { options, signal, contact, emit } = watching;
  const { api, namespace, resourceLabel: resource, measure } = options;
  const unparsed = options.scan === undefined ? {} : { unparsed: true };
  const query = { resourceVersion, ...unparsed, ...selectorOf(options) };
  const onLines = (lines: readonly WatchLine[]) => {
    contact();
    measure.set('resource_synced', 1, { resource });
    // It was absent, and goes on from where it was: no list will say so.
    if (place.absent && sayPresent(options, place)) emit({ type: 'bookmark', resourceVersion });
    const told = tell(watching, place, lines, type);
    if (told > 0) measure.count('watch_events_total', { resource }, told);
  };
  await api.watch(type, namespace, query, onLines, signal);
}

/** Tells what the lines say; how many were about objects. */
function tell<T>(watching: Watching<T>, place: Place, lines: readonly WatchLine[], type: ResourceType) {
  const { emit, read, signal } = watching;
  let told = 0;
  for (const line of lines) {
    if (signal.aborted) return told;
    const change = line.type;
    const scanned = scan(watching, line, type);
    if (scanned !== undefined) {
      told += 1;
      place.version = scanned.resourceVersion;
      emit({ type: change === 'DELETED' ? 'deleted' : 'applied', object: scanned.object });
      continue;
    }
    const { object: resource } = line;
    if (change === 'ERROR') throw errorLine({ verb: 'watch', ...type, namespace: '' }, resource);
    const resourceVersion = versionOf(resource);
    if (resourceVersion !== '') place.version = resourceVersion;
    if (change === 'BOOKMARK') {
      if (resourceVersion !== '') emit({ type: 'bookmark', resourceVersion });
      continue;
    }
    told += 1;
    const object = read(resource, type);
    if (object !== undefined) emit({ type: change === 'DELETED' ? 'deleted' : 'applied', object });
  }
  return told;
}

function scan<T>({ options }: Watching<T>, line: WatchLine, type: ResourceType) {
  return line.unparsed && options.scan?.(line.unparsed, type);
}

/**
 * Decides how to go on after a watch failed: with a list where the version is gone, or where a malformed line came
 * twice at the same version and would come again; else from the last version seen.
 *
 * A server that was restarted has nothing in its watch cache of before, though its storage has. The list is then one
 * of the version that its cache begins at: what came after it is watched, and not lost in a list of the present.
 */
export function afterWatchFailure(place: Place, error: KubeError): void {
  const { failure } = error;
  const stuck = failure === 'malformed' && place.malformedAt === place.version;
  if (failure === 'expired' || failure === 'future' || stuck) startOver(place, error);
  else if (failure === 'malformed') place.malformedAt = place.version;
}

function startOver(place: Place, { oldestVersion }: KubeError): void {
  const { version } = place;
  listOver(place);
  if (version === undefined || oldestVersion === undefined || compareVersions(oldestVersion, version) <= 0) return;
  place.mark = oldestVersion;
  place.since = version;
}
