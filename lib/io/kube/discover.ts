import { KubeError, type ResourceType } from '../../kube/api.ts';
import type { Asked } from '../../kube/failure.ts';
import { preferredTypes, type ServedVersion } from '../../kube/preferred-types.ts';
import type { Transport } from './transport.ts';

type Json = Readonly<Record<string, unknown>>;
type Get = (path: string) => Promise<Json | undefined>;

/**
 * The resources of an API group, each at the version that its server prefers; empty when it lacks the group.
 *
 * One request for the group ('' is the core group) and one for each of its versions.
 */
export async function discover(
  transport: Transport,
  group: string,
  signal?: AbortSignal,
): Promise<readonly ResourceType[]> {
  const asked: Asked = { verb: 'get', group, plural: '', namespace: '' };
  const get: Get = (path) => transport.call({ asked, method: 'GET', path, signal }).catch(undefinedIfAbsent);

  const root = group === '' ? '/api' : `/apis/${encodeURIComponent(group)}`;
  const described = await get(root);
  if (described === undefined) return [];
  const { versions, preferred } = group === '' ? coreVersions(described) : groupVersions(described);
  const served: ServedVersion[] = [];
  for (const version of versions) {
    const list = await get(`${root}/${encodeURIComponent(version)}`);
    if (list !== undefined) served.push({ version, resources: resourcesOf(list) });
  }
  return preferredTypes(group, preferred, served);
}

// A version may be taken out of service between two requests.
function undefinedIfAbsent(error: unknown): undefined {
  if (error instanceof KubeError && error.failure === 'absent') return undefined;
  throw error;
}

function coreVersions({ versions }: Json) {
  const names = objectsOf(versions, String).filter((name) => name !== '');
  return { versions: names, preferred: names[0] ?? '' };
}

function groupVersions({ versions, preferredVersion }: Json) {
  const names = objectsOf(versions, (entry) => textOf(entry, 'version'));
  return { versions: names, preferred: textOf(preferredVersion, 'version') };
}

function resourcesOf({ resources }: Json) {
  return objectsOf(resources, (entry) => ({ plural: textOf(entry, 'name'), kind: textOf(entry, 'kind') }));
}

function objectsOf<T>(list: unknown, read: (entry: unknown) => T): T[] {
  return Array.isArray(list) ? list.map(read) : [];
}

function textOf(entry: unknown, field: string): string {
  const value = typeof entry === 'object' && entry !== null ? (entry as Json)[field] : undefined;
  return typeof value === 'string' ? value : '';
}
