import { request } from 'undici';
import type { MapName } from '../../config/settings.ts';
import { type Kind, kindNames } from '../../lib/run/kind.ts';
import { type Json, jsonAt, textAt } from '../../lib/sandbox/api/stored-object.ts';
import { type ControllerProcess, startProcess } from './controller-process.ts';
import { svc } from './runs.ts';
import { type ServerUnderTest, serverUnderTest } from './server-under-test.ts';
import { type Received, type Sink, startSink } from './sink.ts';

/** One run on the server, moved along by a spec. */
export interface RunOnServer {
  readonly kind: Kind;
  readonly name: string;
  readonly uid: string;
  /** Writes the condition (`status/reason/message`) and any other field of the status; gives the resourceVersion. */
  condition(text: string, more?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Merges into the object, status aside. */
  patch(change: Readonly<Record<string, unknown>>): Promise<void>;
  remove(): Promise<void>;
  /** The first event of this type about this very run that the sink gets, past or future: `running`, for example. */
  told(word: string): Promise<Received>;
}

/** A server, a namespace of its own, a sink and the whole controller between them. */
export interface World {
  readonly server: ServerUnderTest;
  readonly namespace: string;
  readonly sink: Sink;
  readonly controller: ControllerProcess;
  readonly metricsUrl: string;
  readonly healthUrl: string;
  /** Writes a config map and waits until the controller has applied or refused that version. */
  configure(map: MapName, data: Readonly<Record<string, string>>): Promise<'applied' | 'refused'>;
  /** Deletes a config map and waits until its defaults are in force. */
  removeMap(map: MapName): Promise<void>;
  create(kind: Kind, name: string, more?: Readonly<Record<string, unknown>>): Promise<RunOnServer>;
  /** Creates a run that has taken so many seconds and ended, and waits until the sink has been told. */
  finish(kind: Kind, name: string, how?: Ending): Promise<RunOnServer>;
  scrape(accept?: string): Promise<string>;
  /** Scrapes until the text matches; rejects when it has not after ten seconds. */
  scrapeUntil(wanted: RegExp | ((text: string) => boolean)): Promise<string>;
  /** The Kubernetes Event with this reason about the object of this name, past or future. */
  kubeEvent(about: string, reason: string): Promise<Json>;
  /** The Kubernetes Events about the object of this name that are there now, oldest first. */
  kubeEvents(about: string): Promise<readonly Json[]>;
  close(): Promise<void>;
}

/** How a run ends. */
export interface Ending {
  /** `status/reason/message` of its condition; default `True/Succeeded/`. */
  readonly condition?: string;
  /** From startTime to completionTime; default 42. */
  readonly seconds?: number;
  /** Other fields of the object. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export const versions: Readonly<Record<Kind, string>> = { TaskRun: 'v1', PipelineRun: 'v1', CustomRun: 'v1beta1' };

interface WorldOptions {
  /** Config maps that stand before the controller starts. `config-events` has the sink unless said otherwise. */
  readonly maps?: Partial<Readonly<Record<MapName, Readonly<Record<string, string>>>>>;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Arguments that point the controller at a server and one namespace of it, every port free. */
export function argsFor(server: ServerUnderTest, namespace: string): string[] {
  const ports = ['--metrics-port', '0', '--health-port', '0', '--profiling-port', '0'];
  return [
    '--kubeconfig',
    server.kubeconfigFile,
    '--config-namespace',
    namespace,
    '--watch-namespace',
    namespace,
    ...ports,
  ];
}

/** Starts all of it and waits until the controller has synced. */
export async function startWorld({ maps = {}, args = [], env = {} }: WorldOptions = {}): Promise<World> {
  const server = await serverUnderTest();
  const namespace = await server.freshNamespace();
  const sink = await startSink();
  const given = { 'config-events': { sink: sink.url }, ...maps };
  for (const [name, data] of Object.entries(given)) await writeMap(server, namespace, name, data);
  const controller = startProcess([...argsFor(server, namespace), ...args], env);
  const { metricsPort, healthPort } = await controller.logged(({ msg }) => msg === 'listening');
  await controller.logged(({ msg }) => msg === 'synced');
  const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
  const scrape = (accept = 'text/plain') => scrapeOnce(metricsUrl, accept);
  const create: World['create'] = (kind, name, more) => createRun({ server, namespace, sink }, { kind, name, more });
  return {
    server,
    namespace,
    sink,
    controller,
    metricsUrl,
    healthUrl: `http://127.0.0.1:${healthPort}`,
    configure: async (map, data) => {
      const resourceVersion = await writeMap(server, namespace, map, data);
      const line = await controller.logged((one) => one.map === map && one.resourceVersion === resourceVersion);
      return line.msg === 'settings applied' ? 'applied' : 'refused';
    },
    removeMap: async (map) => {
      const after = controller.lines.length;
      await server.request('DELETE', `/api/v1/namespaces/${namespace}/configmaps/${map}`);
      await controller.logged((line) => line.map === map && line.source === 'default', after);
    },
    create,
    finish: async (kind, name, { condition = 'True/Succeeded/', seconds = 42, more } = {}) => {
      const run = await create(kind, name, more);
      await run.condition(condition, lasting(seconds));
      await run.told(condition.startsWith('True') ? 'successful' : 'failed');
      return run;
    },
    scrape,
    scrapeUntil: (wanted) => scrapeUntil(scrape, wanted),
    kubeEvent: (about, reason) => firstKubeEvent(server, namespace, { about, reason }),
    kubeEvents: async (about) => {
      const { json } = await server.request('GET', `/api/v1/namespaces/${namespace}/events`);
      const all = Array.isArray(json.items) ? (json.items as readonly Json[]) : [];
      const version = (event: Json) => Number(textAt(event.metadata, 'resourceVersion'));
      return all.filter((event) => aboutWhom(event) === about).toSorted((a, b) => version(a) - version(b));
    },
    close: async () => {
      await controller.stop();
      await sink.close();
      await server.close();
    },
  };
}

/** startTime and completionTime of a run that took so many seconds. */
export function lasting(seconds: number): Readonly<Record<string, string>> {
  const startMs = Date.parse('2026-01-01T00:00:00Z');
  const time = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
  return { startTime: time(startMs), completionTime: time(startMs + seconds * 1000) };
}

/** A wait that is longer than this will not end well: say what there was instead. */
const longestScrapingMs = 10_000;

async function scrapeUntil(scrape: World['scrape'], wanted: RegExp | ((text: string) => boolean)): Promise<string> {
  const matches = typeof wanted === 'function' ? wanted : (text: string) => wanted.test(text);
  const giveUpAt = performance.now() + longestScrapingMs;
  for (let text = await scrape(); ; text = await scrape()) {
    if (matches(text)) return text;
    if (performance.now() > giveUpAt) throw new Error(`expected metrics that match ${wanted}, got\n${text}`);
  }
}

async function firstKubeEvent(
  server: ServerUnderTest,
  namespace: string,
  { about, reason }: { readonly about: string; readonly reason: string },
): Promise<Json> {
  const watch = await server.watch(`/api/v1/namespaces/${namespace}/events`);
  try {
    for (;;) {
      const [{ object } = {}] = await watch.take(1);
      const event = jsonAt({ object }, 'object');
      if (aboutWhom(event) === about && event.reason === reason) return event;
    }
  } finally {
    watch.close();
  }
}

function aboutWhom(event: Json): string {
  return textAt(event.involvedObject, 'name');
}

async function scrapeOnce(url: string, accept: string): Promise<string> {
  const { body } = await request(url, { headers: { accept } });
  return body.text();
}

/** Creates or replaces a config map; gives its resourceVersion. */
export async function writeMap(
  server: ServerUnderTest,
  namespace: string,
  name: string,
  data: Readonly<Record<string, string>>,
): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
  const replaced = await server.request('PUT', `${path}/${name}`, { body });
  const { json } = replaced.status === 404 ? await server.request('POST', path, { body }) : replaced;
  return String((json as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
}

async function createRun(
  { server, namespace, sink }: Pick<World, 'server' | 'namespace' | 'sink'>,
  { kind, name, more = {} }: { kind: Kind; name: string; more?: Readonly<Record<string, unknown>> | undefined },
): Promise<RunOnServer> {
  const apiVersion = `${svc.apiGroup}/${versions[kind]}`;
  const path = `/apis/${apiVersion}/namespaces/${namespace}/${kindNames[kind].plural}`;
  const { metadata = {}, ...rest } = more as { metadata?: Readonly<Record<string, unknown>> };
  const body = { apiVersion, kind, spec: {}, ...rest, metadata: { ...metadata, name, namespace } };
  const created = await expect2xx(server.request('POST', path, { body }));
  const uid = String((created as { metadata: { uid: string } }).metadata.uid);
  const merge = (suffix: string, change: Readonly<Record<string, unknown>>) =>
    expect2xx(
      server.request('PATCH', `${path}/${name}${suffix}`, {
        body: change,
        contentType: 'application/merge-patch+json',
      }),
    );
  return {
    kind,
    name,
    uid,
    condition: async (text, status = {}) => {
      const [conditionStatus, reason = '', message = ''] = text.split('/');
      const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
      const conditions = [{ type: 'Succeeded', status: conditionStatus, reason, message, lastTransitionTime }];
      const after = await merge('/status', { status: { conditions, ...status } });
      return String((after as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
    },
    patch: async (change) => void (await merge('', change)),
    remove: async () => void (await expect2xx(server.request('DELETE', `${path}/${name}`))),
    told: (word) => sink.told(uid, word),
  };
}

async function expect2xx(answer: ReturnType<ServerUnderTest['request']>): Promise<unknown> {
  const { status, json } = await answer;
  if (status < 200 || status > 299) throw new Error(`the API server answered ${status}: ${JSON.stringify(json)}`);
  return json;
}
