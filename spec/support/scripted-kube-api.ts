import type { KubeApi, ListPage, ListQuery, ResourceType, WatchLine, WatchQuery } from '../../lib/kube/api.ts';

/** One watch that was asked for, in the hands of the spec. */
export interface OpenWatch {
  readonly type: ResourceType;
  readonly query: WatchQuery;
  readonly signal: AbortSignal;
  /** Hands over lines as one chunk; none: the server has accepted the watch. */
  send(...lines: readonly WatchLine[]): void;
  end(): void;
  fail(error: unknown): void;
}

type Answer<T> = T | Error | 'hangs';

/** A KubeApi that answers by script: lists and discoveries in order, watches by hand. */
export interface ScriptedKubeApi {
  readonly api: Pick<KubeApi, 'list' | 'watch' | 'discover'>;
  /** The answers still to give; a request beyond them hangs. */
  readonly lists: Answer<ListPage>[];
  readonly discoveries: Answer<readonly ResourceType[]>[];
  /** Every request in order: `list {"limit":500}`, `watch {"resourceVersion":"5"}`, `discover svc.dev`. */
  readonly requests: string[];
  readonly watches: OpenWatch[];
  /** Requests that were aborted. */
  aborted: number;
}

export function scriptedKubeApi(): ScriptedKubeApi {
  const script: ScriptedKubeApi = {
    api: { discover, list, watch },
    lists: [],
    discoveries: [],
    requests: [],
    watches: [],
    aborted: 0,
  };

  function answer<T>(answers: Answer<T>[], signal: AbortSignal | undefined): Promise<T> {
    const next = answers.shift() ?? 'hangs';
    if (next instanceof Error) return Promise.reject(next);
    return next === 'hangs' ? untilAborted(signal) : Promise.resolve(next);
  }

  function untilAborted(signal: AbortSignal | undefined): Promise<never> {
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => {
        script.aborted += 1;
        reject(signal.reason);
      });
    });
  }

  function discover(group: string, signal?: AbortSignal) {
    script.requests.push(`discover ${group}`);
    return answer(script.discoveries, signal);
  }

  function list(_: ResourceType, __: string, query: ListQuery, signal?: AbortSignal) {
    script.requests.push(`list ${JSON.stringify(query)}`);
    return answer(script.lists, signal);
  }

  function watch(
    type: ResourceType,
    _: string,
    query: WatchQuery,
    onLines: (lines: readonly WatchLine[]) => void,
    signal: AbortSignal,
  ): Promise<void> {
    script.requests.push(`watch ${JSON.stringify(query)}`);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const send = (...lines: readonly WatchLine[]) => {
      try {
        onLines(lines);
      } catch (error) {
        reject(error);
      }
    };
    script.watches.push({ type, query, signal, send, end: resolve, fail: reject });
    return Promise.race([promise, untilAborted(signal)]);
  }

  return script;
}
