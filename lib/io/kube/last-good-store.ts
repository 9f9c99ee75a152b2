import { configMapType, type KubeApi, KubeError } from '../../kube/api.ts';
import type { Log } from '../../log.ts';
import type { Resource } from '../../run/run.ts';

/** The known texts of one config map. */
export type Texts = Readonly<Record<string, string>>;

interface Options {
  readonly api: Pick<KubeApi, 'get' | 'create' | 'update'>;
  readonly log: Log;
  /** Where the config maps are. */
  readonly namespace: string;
  /** Who we are; the config map is called `<component>-last-good`. */
  readonly component: string;
}

/** Writes that meet someone else's write; replicas read the same maps, so two meet and the third is luck. */
const maxConflicts = 5;

interface LastGoodStore {
  /** The kept texts of every map; {} where nothing is kept. Rejects with a KubeError when that cannot be known. */
  load(signal?: AbortSignal): Promise<Readonly<Record<string, Texts>>>;
  /**
   * Keeps the texts of one map; writes nothing when they are kept already. Never rejects: a write that fails is
   * logged, and made up for by the next save of any map.
   */
  save(map: string, texts: Texts): Promise<void>;
}

/**
 * Keeps the last good text of each config map in a config map of our own, one JSON text a map.
 *
 * One write is under way at a time, and texts that come meanwhile wait for the next, at most one a map. Without
 * the permission to write, a restart falls back to defaults while a map is broken; that is said once.
 */
export function lastGoodStore({ api, log, namespace, component }: Options): LastGoodStore {
  const name = `${component}-last-good`;
  let waiting = new Map<string, Texts>();
  let writing: Promise<void> | undefined;
  let forbidden = false;

  const read = async (signal?: AbortSignal): Promise<Resource | undefined> => {
    try {
      return await api.get(configMapType, namespace, name, signal);
    } catch (error) {
      if (error instanceof KubeError && error.failure === 'absent') return undefined;
      throw error;
    }
  };

  const write = async (texts: ReadonlyMap<string, Texts>, conflicts = 0): Promise<void> => {
    const kept = await read();
    const data = { ...dataOf(kept) };
    const news = [...texts].filter(([map, text]) => data[map] !== JSON.stringify(text));
    if (news.length === 0) return;
    for (const [map, text] of news) data[map] = JSON.stringify(text);
    try {
      if (kept) await api.update(configMapType, namespace, name, { ...kept, data });
      else await api.create(configMapType, namespace, newMap({ name, namespace, component, data }));
    } catch (error) {
      if (!lost(error) || conflicts >= maxConflicts) throw error;
      return write(texts, conflicts + 1);
    }
  };

  const drain = async () => {
    try {
      for (; waiting.size > 0; forbidden = false) {
        const texts = waiting;
        waiting = new Map();
        await write(texts).catch((error: unknown) => {
          waiting = new Map([...texts, ...waiting]);
          throw error;
        });
      }
    } catch (error) {
      report(error);
    } finally {
      // Here and not after the promise: a save in between would wait for a write that nobody makes.
      writing = undefined;
    }
  };

  const report = (error: unknown) => {
    const level = forbidden ? 'debug' : 'warn';
    forbidden = error instanceof KubeError && error.failure === 'forbidden';
    log[level]({ configMap: name, namespace, problem: sentenceOf(error) }, 'could not keep the last good settings');
  };

  return {
    async load(signal) {
      return textsOf(dataOf(await read(signal)));
    },
    save(map, texts) {
      waiting.set(map, texts);
      writing ??= drain();
      return writing;
    },
  };
}

/** Someone else wrote, created or deleted the map between our read and our write. */
function lost(error: unknown): boolean {
  return error instanceof KubeError && (error.failure === 'conflict' || error.failure === 'absent');
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function dataOf(resource: Resource | undefined): Readonly<Record<string, unknown>> {
  const data = resource?.data;
  return typeof data === 'object' && data !== null ? { ...data } : {};
}

/** What reads as a mapping of texts; a map whose text someone broke counts as not kept. */
function textsOf(data: Readonly<Record<string, unknown>>): Readonly<Record<string, Texts>> {
  const texts = Object.entries(data).map(([map, json]) => [map, readTexts(json)] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== undefined).map(([map, text]) => [map, text ?? {}]));
}

function readTexts(json: unknown): Texts | undefined {
  try {
    const value: unknown = JSON.parse(String(json));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const entries = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return Object.fromEntries(entries);
  } catch {
    // Not ours any more: the next good version of the map replaces it.
    return undefined;
  }
}

interface NewMap {
  readonly name: string;
  readonly namespace: string;
  readonly component: string;
  readonly data: Readonly<Record<string, unknown>>;
}

function newMap({ name, namespace, component, data }: NewMap): Resource {
  const labels = { 'app.kubernetes.io/managed-by': component };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, labels }, data };
}
