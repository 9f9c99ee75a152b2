import { concatMap, defer, merge, NEVER, Observable, of, switchMap } from 'rxjs';
import { watchBackoff } from '../../lib/backoff.ts';
import { KubeError } from '../../lib/kube/api.ts';
import type { WatchEvent } from '../../lib/kube/watch-event.ts';
import { afterWatchFailure, followWatch } from './follow-watch.ts';
import { pause } from './pause.ts';
import { readResources } from './read-resources.ts';
import { createRestarts, type Restarts } from './restarts.ts';
import { afterListFailure, takePage } from './take-page.ts';
import type { WatchOptions, WatchSettings } from './watch-options.ts';
import { firstPlace, type Place, placePutBack } from './watch-place.ts';
import type { Watching } from './watching.ts';

const defaults = {
  random: Math.random,
  now: () => Date.now(),
  backoff: watchBackoff,
  pageSize: 500,
  absentPollMs: 30_000,
};

/**
 * Everything that happens to a resource: a complete list, page by page, then each change as it is watched.
 *
 * Never errors and never completes: what breaks is resumed from the last version seen, and listed over only where
 * the server has forgotten that version, or was put back to before it. Events of one chunk are told in one turn. Each
 * subscription lists and watches for itself; unsubscribing closes its request at once, and the resource counts as not
 * synced from then on: a replica that was deposed must not hide that nobody watches.
 */
export function watchResource<T>(options: WatchOptions<T>): Observable<WatchEvent<T>> {
  const settings = { ...defaults, ...options };
  const { startAt, putBack$ = NEVER } = options;
  return defer(() => {
    const restarts = createRestarts(settings);
    const read = readResources(settings);
    const given = { options: settings, read, contact: restarts.contact };
    let place = firstPlace(startAt);
    const putBack = (to: string | undefined) => {
      const over = placePutBack(place, to);
      place = over ?? place;
      return over === undefined ? [] : [over];
    };
    const places$ = merge(of(place), putBack$.pipe(concatMap(putBack)));
    return places$.pipe(switchMap((from) => reflection(given, from, restarts)));
  });
}

/** All from a place on, which moves with it, until it is unsubscribed from. */
function reflection<T>(
  given: Pick<Watching<T>, 'options' | 'read' | 'contact'>,
  place: Place,
  restarts: Restarts,
): Observable<WatchEvent<T>> {
  const { measure, resourceLabel: resource } = given.options;
  return new Observable((subscriber) => {
    const stop = new AbortController();
    const watching: Watching<T> = { ...given, signal: stop.signal, emit: (event) => subscriber.next(event) };
    reflect(watching, place, restarts).catch((error) => subscriber.error(error));
    return () => {
      stop.abort();
      measure.set('resource_synced', 0, { resource });
    };
  });
}

async function reflect<T>(watching: Watching<T>, place: Place, restarts: Restarts): Promise<void> {
  const { signal } = watching;
  while (!signal.aborted) {
    const waitMs = await step(watching, place, restarts);
    if (waitMs > 0) await pause(waitMs, signal);
  }
}

/** Does the next thing; the milliseconds to wait before the one after. */
async function step<T>(watching: Watching<T>, place: Place, restarts: Restarts): Promise<number> {
  try {
    if (place.type === undefined) return await findType(watching, place);
    if (place.version === undefined) {
      await takePage(watching, place, place.type);
      return 0;
    }
    const openedAtMs = watching.options.now();
    await followWatch(watching, place, place.type, place.version);
    return watching.signal.aborted ? 0 : restarts.ended(watching.options.now() - openedAtMs);
  } catch (error) {
    return watching.signal.aborted ? 0 : afterFailure(watching, place, restarts, asKubeError(error));
  }
}

/** Asks what the server has. It may have the resource and forbid us to list it: then it is available, and not synced. */
async function findType<T>({ options, signal, emit, contact }: Watching<T>, place: Place): Promise<number> {
  const { type, resourceLabel: resource, measure } = options;
  if (typeof type !== 'function') {
    place.type = type;
    return 0;
  }
  const found = await type(signal);
  if (signal.aborted) return 0;
  place.type = found;
  if (found === undefined) return goneFor(options, emit, place);
  measure.set('resource_available', 1, { resource });
  contact();
  return 0;
}

/**
 * Says once that the server lacks the resource; the milliseconds until it is looked for again.
 *
 * How far the watch has come is kept. A server that restarts says 404 until it has read its CRDs, and a list of its
 * present would pass over what happened meanwhile; where the resource was really gone, its history is too, and the
 * server says so (410).
 */
function goneFor<T>(options: WatchSettings<T>, emit: Watching<T>['emit'], place: Place): number {
  const { resourceLabel: resource, measure, log } = options;
  place.listing = undefined;
  const waitMs = untilLookedFor(options, place);
  place.lookedFor += 1;
  measure.set('resource_available', 0, { resource });
  if (place.absent) return waitMs;
  place.absent = true;
  measure.set('resource_synced', 0, { resource });
  log.warn(
    { resource, absentPollMs: options.absentPollMs },
    'the API server does not have the resource, it is looked for',
  );
  emit({ type: 'absent' });
  return waitMs;
}

/** What was there a moment ago is missed sooner than what never was. */
function untilLookedFor<T>({ absentPollMs, backoff }: WatchSettings<T>, { version, mark, lookedFor }: Place): number {
  return version === undefined && mark === undefined
    ? absentPollMs
    : Math.min(absentPollMs, backoff.initialMs * backoff.factor ** lookedFor);
}

function afterFailure<T>({ options, emit }: Watching<T>, place: Place, restarts: Restarts, error: KubeError): number {
  if (error.failure === 'absent') {
    if (typeof options.type !== 'function') return goneFor(options, emit, place);
    // Gone, or served at another version now: only discovery can tell.
    place.type = undefined;
  } else if (place.listing !== undefined) {
    afterListFailure(place, error);
  } else {
    afterWatchFailure(place, error);
  }
  return restarts.failed(error);
}

function asKubeError(error: unknown): KubeError {
  if (error instanceof KubeError) return error;
  return new KubeError('refused', `expected a KubeError, got ${String(error)}`, { cause: error });
}
