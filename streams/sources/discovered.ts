import type { KubeApi, ResourceType } from '../../lib/kube/api.ts';

/** How a watch finds the type it watches: undefined while the server does not have it. */
export type FindType = (signal: AbortSignal) => Promise<ResourceType | undefined>;

/** Finds a group's resource at the version that the server prefers at the time it is asked. */
export function discovered(api: Pick<KubeApi, 'discover'>, group: string, plural: string): FindType {
  return async (signal) => (await api.discover(group, signal)).find((type) => type.plural === plural);
}
