import type { ResourceType } from './api.ts';

/** The resources that one version of a group serves. */
export interface ServedVersion {
  readonly version: string;
  readonly resources: readonly { readonly plural: string; readonly kind: string }[];
}

/**
 * One type for each resource of a group: at the group's preferred version where that serves it, else at the
 * first of the server's order that does.
 *
 * Resources of one group may stand at different versions. Subresources (`taskruns/status`) are left out.
 */
export function preferredTypes(
  group: string,
  preferred: string,
  served: readonly ServedVersion[],
): readonly ResourceType[] {
  const ordered = [
    ...served.filter(({ version }) => version === preferred),
    ...served.filter(({ version }) => version !== preferred),
  ];
  const types = new Map<string, ResourceType>();
  for (const { version, resources } of ordered) {
    for (const { plural, kind } of resources) {
      if (!plural.includes('/') && !types.has(plural)) types.set(plural, { group, version, plural, kind });
    }
  }
  return [...types.values()];
}
