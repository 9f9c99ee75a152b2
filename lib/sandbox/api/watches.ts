import type { ServerResponse } from 'node:http';
import { apiErrors } from './api-error.ts';
import type { ResourceRequest } from './handle-request.ts';
import { parseVersion } from './list-objects.ts';
import { parseSelector } from './selector.ts';
import type { Json } from './stored-object.ts';
import { tableLine } from './table.ts';
import type { VersionedStore } from './versioned-store.ts';
import { WatchSession } from './watch-session.ts';

interface Options {
  readonly store: VersionedStore;
  readonly watchLimit: number;
  readonly bookmarkIntervalMs: number;
  readonly nowMs: () => number;
}

interface OpenWatch {
  readonly session: WatchSession;
  readonly response: ServerResponse;
}

/** Every watch that is open, fed from the store, each over its own response. */
export class Watches {
  readonly #options: Options;
  readonly #open = new Set<OpenWatch>();
  readonly #unsubscribe: () => void;

  constructor(options: Options) {
    this.#options = options;
    this.#unsubscribe = options.store.onChange(() => {
      for (const { session } of this.#open) session.pump();
    });
  }

  get count(): number {
    return this.#open.size;
  }

  /** Begins a watch: 200 and one JSON line a change, until its time-out. Throws an ApiError before the first byte. */
  begin(request: ResourceRequest): void {
    const { query, response } = request;
    if (this.#open.size >= this.#options.watchLimit) throw apiErrors.tooManyRequests();
    checkInitialEvents(query);
    const session = new WatchSession(this.#options.store, this.#sessionOptions(request));
    const watch = { session, response };
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
    response.flushHeaders();
    response.socket?.setNoDelay(true);
    this.#open.add(watch);
    const stopTimers = this.#startTimers(watch, timeoutMs(query));
    response.on('drain', () => session.drained());
    response.on('close', () => {
      stopTimers();
      session.close();
      this.#open.delete(watch);
    });
    session.pump();
  }

  /** Ends every watch, politely or by cutting its connection. */
  closeAll(how: 'end' | 'cut'): void {
    for (const { session, response } of this.#open) {
      session.close();
      if (how === 'end') response.end();
      else response.destroy();
    }
  }

  /** Cuts every watch and stops listening to the store. */
  close(): void {
    this.#unsubscribe();
    this.closeAll('cut');
  }

  #sessionOptions({ type, namespace, name, query, response, asTable }: ResourceRequest) {
    const version = query.get('resourceVersion') ?? '';
    const initialEvents = query.get('sendInitialEvents') === 'true';
    const fields = [query.get('fieldSelector') ?? '', name === '' ? '' : `metadata.name=${name}`];
    const since = parseVersion(version);
    return {
      type,
      namespace,
      selector: parseSelector(type, query.get('labelSelector') ?? '', fields.filter((one) => one !== '').join(',')),
      since: since === 0 || initialEvents ? undefined : since,
      bookmarks: isTrue(query.get('allowWatchBookmarks')),
      initialEvents,
      write: (line: Json) => {
        const shown = asTable ? tableLine(type.kind, line, this.#options.nowMs()) : line;
        return response.write(`${JSON.stringify(shown)}\n`);
      },
      end: (how: 'done' | 'cut') => void (how === 'done' ? response.end() : response.destroy()),
    };
  }

  #startTimers({ session, response }: OpenWatch, lastsMs: number): () => void {
    const bookmarks = setInterval(() => session.bookmark(), this.#options.bookmarkIntervalMs);
    const end = setTimeout(() => {
      session.bookmark();
      session.close();
      response.end();
    }, lastsMs);
    return () => {
      clearInterval(bookmarks);
      clearTimeout(end);
    };
  }
}

/** Whether a query parameter says yes, in the ways Go's strconv.ParseBool takes it. */
export function isTrue(value: string | null): boolean {
  return value !== null && /^(1|t|true)$/i.test(value);
}

/** Without timeoutSeconds a kube-apiserver ends a watch after 30 to 60 minutes, at random. */
function timeoutMs(query: URLSearchParams): number {
  const asked = Number(query.get('timeoutSeconds') ?? 0);
  return asked > 0 ? asked * 1000 : 1_800_000 * (1 + Math.random());
}

function checkInitialEvents(query: URLSearchParams): void {
  const match = query.get('resourceVersionMatch') ?? '';
  const asked = query.get('sendInitialEvents') === 'true';
  const problem =
    asked && match !== 'NotOlderThan'
      ? 'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'
      : !asked && match !== ''
        ? 'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'
        : undefined;
  if (problem !== undefined) throw apiErrors.invalid('ListOptions.meta.k8s.io', '', problem);
}
