import type { KubeError, KubeFailure, ListPage, ListQuery, ResourceType } from '../../lib/kube/api.ts';
import { withMissedVersions } from './missed-versions.ts';
import { sayPresent } from './say-present.ts';
import { selectorOf } from './watch-options.ts';
import { type Listing, listOver, type Place } from './watch-place.ts';
import type { Watching } from './watching.ts';

/**
 * Takes the next page of the list and tells its objects; with the last page the list is complete and the place
 * stands at its version.
 *
 * `relisting` is told when the first page is there, so a list that does not come about is never heard of.
 */
export async function takePage<T>(watching: Watching<T>, place: Place, type: ResourceType): Promise<void> {
  const { options, emit, contact, signal } = watching;
  const { api, namespace, resourceLabel: resource, measure, now } = options;
  const listing = place.listing ?? begin(place, now());
  place.listing = listing;

  const listed = await api.list(type, namespace, queryOf(watching, place, listing), signal);
  contact();
  const { since } = listing;
  const items = since === undefined ? listed.items : await withMissedVersions(watching, type, { ...listed, since });
  const page = { ...listed, items };
  sayPresent(options, place);
  if (listing.continueToken === '') emit({ type: 'relisting', at: listing.at });
  const count = page.unparsed?.length ?? page.items.length;
  if (count > 0) measure.count('watch_events_total', { resource }, count);
  for (const object of objectsOf(watching, page, type)) {
    if (signal.aborted) return;
    if (object !== undefined) emit({ type: 'applied', object });
  }
  // By whoever heard of the last object.
  if (signal.aborted) return;
  if (page.continueToken !== '') {
    place.listing = { ...listing, continueToken: page.continueToken };
    return;
  }
  listOver(place);
  place.unpaged = false;
  place.lost = false;
  place.version = page.resourceVersion;
  measure.observe('list_duration_seconds', (now() - listing.startedAtMs) / 1000);
  measure.set('resource_synced', 1, { resource });
  emit({ type: 'listed', resourceVersion: page.resourceVersion });
}

function* objectsOf<T>({ options, read }: Watching<T>, page: ListPage, type: ResourceType): Generator<T | undefined> {
  for (const item of page.items) yield read(item, type);
  for (const item of page.unparsed ?? []) yield options.scan?.(item, type)?.object ?? read(item.parse(), type);
}

function begin({ mark, since, lost }: Place, startedAtMs: number): Listing {
  const present = lost ? 'after-loss' : 'present';
  return { at: mark === undefined ? present : 'mark', continueToken: '', startedAtMs, since };
}

function queryOf<T>({ options }: Watching<T>, place: Place, { at, continueToken, since }: Listing): ListQuery {
  return {
    ...(place.unpaged ? {} : { limit: options.pageSize }),
    ...(options.scan === undefined || since !== undefined ? {} : { unparsed: true }),
    ...selectorOf(options),
    ...(continueToken !== '' ? { continueToken } : {}),
    ...(continueToken === '' && at === 'mark' && place.mark !== undefined
      ? { resourceVersion: place.mark, resourceVersionMatch: 'Exact' }
      : {}),
  };
}

/** Failures that say nothing about the page asked for. */
const passing: ReadonlySet<KubeFailure> = new Set(['unreachable', 'busy', 'unauthorized', 'forbidden']);

/**
 * Decides how to list after a list failed: at the present where the mark's past is gone, not reached or not to be
 * asked for (400), and in one piece, once, where the pages took longer than the server keeps a past. A page that did
 * not come is asked for again; after any other answer the list starts over.
 */
export function afterListFailure(place: Place, error: KubeError): void {
  const { listing } = place;
  if (listing === undefined) return;
  if (listing.at === 'mark' && (error.failure === 'expired' || error.failure === 'future' || error.code === 400)) {
    listOver(place);
    // A version in the future was told by another history of the server: what is there now is where we begin.
    place.lost = error.failure !== 'future';
  } else if (error.failure === 'expired') {
    listOver(place);
    // Client-go falls back the same way, and for good; here only until one list is complete.
    place.unpaged = listing.continueToken !== '';
  } else if (!passing.has(error.failure)) {
    place.listing = undefined;
  }
}
