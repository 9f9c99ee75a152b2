import type { ResourceType } from '../../lib/kube/api.ts';
import { isForgotten } from '../../lib/kube/forgotten.ts';
import { compareVersions, versionBefore } from '../../lib/kube/version.ts';
import { text } from '../../lib/run/fields.ts';
import type { Resource } from '../../lib/run/run.ts';
import { versionOf } from './read-resources.ts';
import type { Watching } from './watching.ts';

/** Requests for one page of a list: about six seconds of a server that answers in 3 ms. */
const maxRequests = 2000;

/**
 * The objects of a list, each behind those of its versions after `since` that nobody watched.
 *
 * A watch cannot go back beyond the API server's cache, a list at a version can for as long as its storage does: from
 * each object back, one version a request. What the storage has forgotten stays forgotten, and so does a run of the
 * same name that was deleted meanwhile. Rejects where the server gives no answer, or one that says nothing of the
 * version, as a server that has just started does: it is asked again.
 */
export async function withMissedVersions<T>(
  watching: Watching<T>,
  type: ResourceType,
  { items, since }: { readonly items: readonly Resource[]; readonly since: string },
): Promise<readonly Resource[]> {
  const all: Resource[] = [];
  const budget = { requests: maxRequests };
  let unread = 0;
  for (const item of items) {
    const { versions, whole } = await versionsSince(watching, type, { item, since, budget });
    all.push(...versions);
    if (!whole) unread += 1;
  }
  if (unread > 0) {
    const { resourceLabel: resource, log, measure } = watching.options;
    measure.count('missed_versions_unread_total', { resource }, unread);
    log.warn({ resource, limit: maxRequests, unread }, 'more versions were missed than are read back');
  }
  return all;
}

interface Reading {
  readonly item: Resource;
  readonly since: string;
  /** Requests that are left, for all objects of the page. */
  readonly budget: { requests: number };
}

/** The versions of one object after `since`, oldest first, and whether the budget was enough for all of them. */
async function versionsSince<T>(
  watching: Watching<T>,
  type: ResourceType,
  { item, since, budget }: Reading,
): Promise<{ readonly versions: readonly Resource[]; readonly whole: boolean }> {
  const versions = [item];
  for (let past = item; compareVersions(versionOf(past), since) > 0; ) {
    if (budget.requests === 0) return { versions, whole: false };
    budget.requests -= 1;
    const before = await versionOfBefore(watching, type, past);
    if (before === undefined || compareVersions(versionOf(before), since) <= 0) break;
    versions.unshift(before);
    past = before;
  }
  return { versions, whole: true };
}

/** The same object one version earlier; undefined where there was none, or the storage no longer has it. */
async function versionOfBefore<T>(
  { options: { api }, signal, contact }: Watching<T>,
  type: ResourceType,
  object: Resource,
): Promise<Resource | undefined> {
  const [name, namespace, uid] = ['name', 'namespace', 'uid'].map((field) => text(object, 'metadata', field));
  const resourceVersion = versionBefore(versionOf(object));
  const query = { fieldSelector: `metadata.name=${name}`, resourceVersion, resourceVersionMatch: 'Exact' } as const;
  try {
    const { items } = await api.list(type, namespace ?? '', query, signal);
    contact();
    return items.find((item) => text(item, 'metadata', 'uid') === uid);
  } catch (error) {
    if (isForgotten(error)) return undefined;
    throw error;
  }
}
