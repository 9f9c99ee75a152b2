import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Agent, request } from 'undici';
import { parse } from 'yaml';
import { profiles } from '../../lib/profile.ts';
import { startSandboxApi } from '../../lib/sandbox/api/start-sandbox-api.ts';
import { isJson, type Json, jsonAt, textAt } from '../../lib/sandbox/api/stored-object.ts';
import { until } from '../cluster/until.ts';

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Default application/json when there is a body. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** An empty object when the answer was no JSON object. */
  readonly json: Json;
}

interface WatchUnderTest extends AsyncIterable<Json> {
  readonly status: number;
  /** The next so many lines; rejects when the watch ends before. */
  take(count: number): Promise<readonly Json[]>;
  close(): void;
}

/** A Kubernetes API that specs may ask anything: the sandbox, or a real kube-apiserver. */
export interface ServerUnderTest {
  readonly kubeconfigFile: string;
  /** What the controller of a namespace runs with; absent: `kubeconfigFile`. */
  readonly kubeconfigOf?: (namespace: string) => string;
  readonly sandbox: boolean;
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  watch(path: string, query?: Readonly<Record<string, string>>): Promise<WatchUnderTest>;
  /** Makes a namespace of its own for one spec and gives its name. */
  freshNamespace(): Promise<string>;
  /** Forgets all versions but the present. */
  compact(): Promise<void>;
  close(): Promise<void>;
}

interface Address {
  readonly server: string;
  readonly ca: string | undefined;
  readonly token: string;
}

/**
 * The server that the API specs ask: the one that the kubeconfig file in `SPEC_KUBECONFIG` names, with its etcd at
 * `SPEC_ETCD_URL`, else a sandbox of its own.
 */
export async function serverUnderTest(): Promise<ServerUnderTest> {
  const { SPEC_KUBECONFIG: file, SPEC_ETCD_URL: etcdUrl = '' } = process.env;
  return file === undefined || file === '' ? sandboxServer() : realServer(file, etcdUrl);
}

/** The server that a kubeconfig file names, with its etcd. */
export function realServer(kubeconfigFile: string, etcdUrl: string): ServerUnderTest {
  const talk = talkTo(readAddress(kubeconfigFile));
  return {
    ...talk,
    kubeconfigFile,
    sandbox: false,
    compact: () => compactReal(talk.request, etcdUrl),
    close: talk.hangUp,
  };
}

async function sandboxServer(): Promise<ServerUnderTest> {
  const token = 'sandbox-token';
  const api = await startSandboxApi({ profile: profiles.svc, token, bookmarkIntervalMs: 50 });
  const dir = mkdtempSync(join(tmpdir(), 'spec-sandbox-'));
  const kubeconfigFile = join(dir, 'kubeconfig');
  writeFileSync(kubeconfigFile, kubeconfigText(api.url, token), { mode: 0o600 });
  const talk = talkTo(readAddress(kubeconfigFile));
  const close = async () => {
    await talk.hangUp();
    await api.close();
    rmSync(dir, { recursive: true });
  };
  return { ...talk, kubeconfigFile, sandbox: true, compact: async () => api.compact(), close };
}

function kubeconfigText(server: string, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'sandbox',
    contexts: [{ name: 'sandbox', context: { cluster: 'sandbox', user: 'sandbox' } }],
    clusters: [{ name: 'sandbox', cluster: { server } }],
    users: [{ name: 'sandbox', user: { token } }],
  });
}

/** The first cluster and user of a kubeconfig file: specs write files with one of each. */
function readAddress(file: string): Address {
  const { clusters, users } = parse(readFileSync(file, 'utf8'));
  const { server, 'certificate-authority': caFile, 'certificate-authority-data': caData } = clusters[0].cluster;
  const inline = caData === undefined ? undefined : Buffer.from(caData, 'base64').toString();
  return { server, ca: caFile === undefined ? inline : readFileSync(caFile, 'utf8'), token: users[0].user.token };
}

function talkTo({ server, ca, token }: Address) {
  const dispatcher = new Agent({ allowH2: false, connect: ca === undefined ? {} : { ca } });
  const send = (method: string, path: string, { query, body, contentType, headers }: RequestOptions = {}) =>
    request(`${server}${path}${query === undefined ? '' : `?${new URLSearchParams(query)}`}`, {
      method,
      dispatcher,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const ask = async (method: string, path: string, options?: RequestOptions): Promise<Answer> => {
    const answer = await send(method, path, options);
    return { status: answer.statusCode, headers: answer.headers, json: jsonOf(await answer.body.text()) };
  };
  return {
    request: ask,
    watch: async (path: string, query: Readonly<Record<string, string>> = {}) =>
      watchOf(await send('GET', path, { query: { watch: 'true', ...query } })),
    freshNamespace: async () => {
      const { json } = await ask('POST', '/api/v1/namespaces', { body: namespaceBody });
      return textAt(json.metadata, 'name');
    },
    hangUp: () => dispatcher.destroy(),
  };
}

const namespaceBody = { apiVersion: 'v1', kind: 'Namespace', metadata: { generateName: 'spec-' } };

function jsonOf(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : {};
  } catch {
    return {};
  }
}

function watchOf({ statusCode, body }: Awaited<ReturnType<typeof request>>): WatchUnderTest {
  const lines = readLines(body);
  return {
    status: statusCode,
    [Symbol.asyncIterator]: () => lines,
    take: async (count) => {
      const taken: Json[] = [];
      while (taken.length < count) {
        const { value, done } = await lines.next();
        if (done === true) throw new Error(`expected ${count} lines, got ${taken.length} and the end of the watch`);
        taken.push(value);
      }
      return taken;
    },
    close: () => {
      body.on('error', () => {});
      body.destroy();
    },
  };
}

async function* readLines(body: NodeJS.ReadableStream): AsyncGenerator<Json, undefined> {
  for await (const line of createInterface({ input: body })) yield jsonOf(line);
  return undefined;
}

const runsPath = `/apis/${profiles.svc.apiGroup}/v1/taskruns`;

/**
 * Compacts a real server's storage at its present revision, by etcd's JSON gateway, and waits until the server
 * has dropped what it remembered of the past: it looks every 15 s for the mark that kube-apiservers leave in etcd
 * at their own compactions (k8s.io/apiserver, pkg/storage/cacher/compactor.go).
 */
async function compactReal(ask: ServerUnderTest['request'], etcdUrl: string): Promise<void> {
  const { json } = await ask('GET', runsPath, { query: { limit: '1' } });
  const past = textAt(json.metadata, 'resourceVersion');
  await compactEtcd(etcdUrl);
  const query = { resourceVersion: past, resourceVersionMatch: 'Exact', limit: '1' };
  await until(async () => (await ask('GET', runsPath, { query })).status === 410, {
    what: 'the API server to forget the past',
    timeoutMs: 30_000,
  });
}

async function compactEtcd(etcdUrl: string): Promise<void> {
  const post = async (path: string, body: Json) => {
    const answer = await fetch(`${etcdUrl}${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`expected etcd to take ${path}, got ${answer.status}`);
    return jsonOf(await answer.text());
  };
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const key = base64('compact_rev_key');
  const before = textAt(jsonAt(await post('/v3/kv/range', { key }), 'header'), 'revision');
  const marked = await post('/v3/kv/put', { key, value: base64(String(Number(before) + 1)) });
  const revision = textAt(jsonAt(marked, 'header'), 'revision');
  await post('/v3/kv/compaction', { revision, physical: true });
}
