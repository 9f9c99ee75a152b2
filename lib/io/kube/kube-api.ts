import {
  type KubeApi,
  KubeError,
  type ListPage,
  type ListQuery,
  type ResourceType,
  type WatchQuery,
} from '../../kube/api.ts';
import { type Asked, asWords } from '../../kube/failure.ts';
import { apiVersionOf, queryString, resourcePath } from '../../kube/path.ts';
import type { Measure } from '../../metrics/own.ts';
import type { Resource } from '../../run/run.ts';
import { createListScan } from '../../run/scan-list.ts';
import { discover } from './discover.ts';
import type { KubeConnection } from './kube-connection.ts';
import { type Call, createTransport, objectOf } from './transport.ts';
import { unparsedPage } from './unparsed-page.ts';

interface Options {
  readonly connection: KubeConnection;
  readonly measure: Measure;
  /** Milliseconds that a request took until the headers of its answer; every request but watches. */
  readonly onLatency: (ms: number) => void;
  /** `svc-pipelines-controller/1.2.3`. */
  readonly userAgent: string;
  /** Milliseconds since the epoch; default Date.now. */
  readonly now?: () => number;
  /** Uniform in [0, 1); default Math.random. */
  readonly random?: () => number;
  /** Default 30,000. */
  readonly callTimeoutMs?: number;
  /** Default 10,000. */
  readonly connectTimeoutMs?: number;
  /** How long an open watch may say nothing; default 90,000. */
  readonly silenceMs?: number;
  /** Longest line of a watch; default 16 MB, ten times what etcd takes. */
  readonly maxLineBytes?: number;
  /** Connections for calls, beside one for each watch; default 16. */
  readonly maxCallConnections?: number;
}

const defaults = {
  now: Date.now,
  random: Math.random,
  callTimeoutMs: 30_000,
  connectTimeoutMs: 10_000,
  silenceMs: 90_000,
  maxLineBytes: 16 * 1024 * 1024,
  maxCallConnections: 16,
};

/** How long a watch may last before the server ends it: 5 to 10 minutes, as client-go asks, so that they spread. */
const watchSeconds = { least: 300, spread: 300 };

/**
 * The API server behind a connection. `close` ends every request at once, and those after it fail.
 *
 * A list is read a page at a time as the caller asks for pages; nothing of it is kept here.
 */
export function createKubeApi(options: Options): KubeApi & { close(): Promise<void> } {
  const settings = { ...defaults, ...options };
  const transport = createTransport(settings);

  const onObject = async (
    verb: 'get' | 'update' | 'delete',
    method: Call['method'],
    [type, namespace, name, signal]: readonly [ResourceType, string, string, AbortSignal | undefined],
    body?: Resource,
  ) => {
    const asked: Asked = { verb, group: type.group, plural: type.plural, namespace, name };
    const path = resourcePath(type, namespace, name);
    return transport.call({ asked, method, path, body, signal });
  };

  return {
    discover: (group, signal) => discover(transport, group, signal),

    async list(type, namespace, query, signal) {
      const asked: Asked = { verb: 'list', group: type.group, plural: type.plural, namespace };
      const path = resourcePath(type, namespace) + listQuery(query);
      const call: Call = { asked, method: 'GET', path, signal };
      if (query.unparsed !== true) return pageOf(asked, type, await transport.call(call));
      const scan = createListScan();
      const pieces: Buffer[] = [];
      await transport.pieces(call, (piece) => {
        pieces.push(piece);
        scan.push(piece);
      });
      return unparsedPage(scan.end()) ?? pageOf(asked, type, objectOf(asked, Buffer.concat(pieces).toString()));
    },

    async watch(type, namespace, query, onLines, signal) {
      const asked: Asked = { verb: 'watch', group: type.group, plural: type.plural, namespace };
      const timeoutSeconds = watchSeconds.least + Math.floor(watchSeconds.spread * settings.random());
      const path = resourcePath(type, namespace) + watchQuery(query, timeoutSeconds);
      return transport.watch({ asked, path, unparsed: query.unparsed ?? false, onLines, signal });
    },

    async create(type, namespace, object, signal) {
      const asked: Asked = { verb: 'create', group: type.group, plural: type.plural, namespace };
      const path = resourcePath(type, namespace);
      return transport.call({ asked, method: 'POST', path, body: object, signal });
    },

    get: (type, namespace, name, signal) => onObject('get', 'GET', [type, namespace, name, signal]),

    update: (type, namespace, name, object, signal) =>
      onObject('update', 'PUT', [type, namespace, name, signal], object),

    async remove(type, namespace, name, signal) {
      await onObject('delete', 'DELETE', [type, namespace, name, signal]);
    },

    close: () => transport.close(),
  };
}

function listQuery(query: ListQuery): string {
  const { limit, continueToken, resourceVersion, resourceVersionMatch, fieldSelector } = query;
  // A continue token holds the version: the server refuses it beside another.
  const from =
    continueToken === undefined || continueToken === ''
      ? { resourceVersion, resourceVersionMatch }
      : { continue: continueToken };
  return queryString({ limit, ...from, fieldSelector });
}

function watchQuery({ resourceVersion, fieldSelector }: WatchQuery, timeoutSeconds: number): string {
  const watch = { watch: 'true', allowWatchBookmarks: 'true', timeoutSeconds };
  return queryString({ ...watch, resourceVersion, fieldSelector });
}

function pageOf(asked: Asked, type: ResourceType, body: Readonly<Record<string, unknown>>): ListPage {
  const metadata = (body.metadata ?? {}) as Readonly<Record<string, unknown>>;
  const items = body.items ?? [];
  if (!Array.isArray(items) || typeof metadata.resourceVersion !== 'string' || metadata.resourceVersion === '') {
    throw new KubeError('malformed', `${asWords(asked)}: expected a list with items and a resourceVersion, got none`);
  }
  return {
    items: withTypes(type, items),
    resourceVersion: metadata.resourceVersion,
    continueToken: typeof metadata.continue === 'string' ? metadata.continue : '',
  };
}

// Items of the core types come without them in a list.
function withTypes(type: ResourceType, items: readonly Resource[]): readonly Resource[] {
  const missing = items.some((item) => item.kind === undefined || item.apiVersion === undefined);
  if (!missing) return items;
  return items.map((item) => ({ apiVersion: apiVersionOf(type), kind: type.kind, ...item }));
}
