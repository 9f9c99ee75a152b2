import type { ResourceType } from '../../lib/kube/api.ts';
import type { Resource } from '../../lib/run/run.ts';
import type { WatchSettings } from './watch-options.ts';

/** Reads one object; undefined, counted and said where that fails. */
export type ReadResource<T> = (resource: Resource, type: ResourceType) => T | undefined;

/**
 * `read` made safe: an object that it refuses, or throws at, is counted as malformed and named in the log, as a
 * warning the first time and for debugging after that.
 */
export function readResources<T>(options: WatchSettings<T>): ReadResource<T> {
  const { read, resourceLabel: resource, measure, log } = options;
  const said = new Set<string>();

  const refuse = (object: Resource, cause: 'refused' | 'thrown', error?: unknown) => {
    measure.count('watch_malformed_total', { resource });
    const { namespace, name } = (object.metadata ?? {}) as Resource;
    log[said.has(cause) ? 'debug' : 'warn'](
      { resource, namespace, name, cause, err: error },
      'an object cannot be read',
    );
    said.add(cause);
    return undefined;
  };

  return (object, type) => {
    try {
      return read(object, type) ?? refuse(object, 'refused');
    } catch (error) {
      return refuse(object, 'thrown', error);
    }
  };
}

/** The version of an object, '' where it carries none. */
export function versionOf(object: Resource): string {
  const { resourceVersion } = (object.metadata ?? {}) as Resource;
  return typeof resourceVersion === 'string' ? resourceVersion : '';
}
