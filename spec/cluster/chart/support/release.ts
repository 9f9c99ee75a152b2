import { chartDir } from '../../../../scripts/chart/generated.ts';
import { createNamespace } from '../../requests.ts';
import { sharedCluster } from '../../suite.ts';
import { helmDone, type Values, valuesFromInput } from './helm.ts';

/** A release of the chart on the suite's API server. */
export interface Release {
  readonly name: string;
  readonly namespace: string;
  /** Installs it, or upgrades it to these values (only these: no value of before is kept), of this chart or another. */
  upgrade(values?: Values, chart?: string): Promise<void>;
  /** The objects as helm keeps them for the present revision. */
  manifest(): Promise<string>;
  rollback(revision: number): Promise<void>;
  uninstall(options?: readonly string[]): Promise<void>;
  /** Data of a config map; undefined when there is no such map. */
  dataOf(map: string): Promise<Readonly<Record<string, string>> | undefined>;
  /** What `kubectl edit` of one key does; null takes the key out. */
  edit(map: string, data: Readonly<Record<string, string | null>>): Promise<void>;
}

/** A release in a namespace of its own, not installed yet. */
export async function releaseIn(namespace: string, name = 'spec'): Promise<Release> {
  await createNamespace(sharedCluster(), namespace);
  const target = ['--namespace', namespace];
  const path = (map: string) => `/api/v1/namespaces/${namespace}/configmaps/${map}`;
  return {
    name,
    namespace,
    async upgrade(values = {}, chart = chartDir) {
      await helmDone(['upgrade', '--install', name, chart, ...target, '--reset-values', ...valuesFromInput], values);
    },
    manifest: () => helmDone(['get', 'manifest', name, ...target]),
    async rollback(revision) {
      await helmDone(['rollback', name, String(revision), ...target]);
    },
    async uninstall(options = []) {
      await helmDone(['uninstall', name, ...target, ...options]);
    },
    async dataOf(map) {
      const { status, body } = await sharedCluster().ask('GET', path(map));
      return status === 404 ? undefined : dataIn(body);
    },
    async edit(map, data) {
      const { body } = await sharedCluster().ask('GET', path(map));
      const { _example = '', ...rest } = { ...dataIn(body), ...data };
      const kept = Object.entries({ ...rest, _example }).filter(([, value]) => value !== null);
      const { status } = await sharedCluster().ask('PUT', path(map), {
        ...(body as object),
        data: Object.fromEntries(kept),
      });
      if (status !== 200) throw new Error(`${map}: expected 200, got ${status}`);
    },
  };
}

function dataIn(body: unknown): Readonly<Record<string, string>> {
  return (body as { readonly data?: Readonly<Record<string, string>> }).data ?? {};
}
