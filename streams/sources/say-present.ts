import type { WatchSettings } from './watch-options.ts';
import type { Place } from './watch-place.ts';

/** Says that the server has the resource and lets us read it, in the log once after it was absent; whether it was. */
export function sayPresent<T>(options: WatchSettings<T>, place: Place): boolean {
  const { resourceLabel: resource, measure, log } = options;
  const wasAbsent = place.absent;
  measure.set('resource_available', 1, { resource });
  if (wasAbsent) log.info({ resource }, 'the API server has the resource now');
  place.absent = false;
  place.lookedFor = 0;
  return wasAbsent;
}
