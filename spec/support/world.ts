import { request } from 'undici';
import type { MapName } from '../../config/settings.ts';
import type { Kind } from '../../lib/run/kind.ts';
import { type Json, jsonAt, textAt } from '../../lib/sandbox/api/stored-object.ts';
import { type ControllerProcess, startProcess } from './controller-process.ts';
import { installed } from './installed.ts';
import { createRun, lasting, type RunOnServer } from './run-on-server.ts';
import { type ServerUnderTest, serverUnderTest } from './server-under-test.ts';
import { type Sink, startSink } from './sink.ts';

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
  /** Asks for /metrics until the answer has this status, and gives its body; rejects when it has not after ten seconds. */
  metricsAnswer(status: number): Promise<string>;
  /** The Kubernetes Event with this reason about the object of this name, past or future. */
  kubeEvent(about: string, reason: string): Promise<Json>;
  /** The Kubernetes Events about the object of this name that are there now, oldest first. */
  kubeEvents(about: string): Promise<readonly Json[]>;
  close(): Promise<void>;
}

/** How a run ends. */
interface Ending {
  /** `status/reason/message` of its condition; default `True/Succeeded/`. */
  readonly condition?: string;
  /** From startTime to completionTime; default 42. */
  readonly seconds?: number;
  /** Other fields of the object. */
  readonly more?: Readonly<Record<string, unknown>>;
}

interface WorldOptions {
  /** Config maps that stand before the controller starts. `config-events` has the sink unless said otherwise. */
  readonly maps?: Partial<Readonly<Record<MapName, Readonly<Record<string, string>>>>>;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Default `serverUnderTest()`; closed with the world. */
  readonly server?: ServerUnderTest;
}

/** Arguments that point the controller at a server and one namespace of it, every port free. */
export function argsFor(server: Pick<ServerUnderTest, 'kubeconfigFile' | 'kubeconfigOf'>, namespace: string): string[] {
  const ports = ['--metrics-port', '0', '--health-port', '0', '--profiling-port', '0'];
  return [
    '--kubeconfig',
    server.kubeconfigOf?.(namespace) ?? server.kubeconfigFile,
    '--config-namespace',
    namespace,
    '--watch-namespace',
    namespace,
    ...ports,
  ];
}

/** Starts all of it and waits until the controller has synced. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const { maps = {}, args = [], env = {}, server = installed(await serverUnderTest()) } = options;
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
    metricsAnswer: (status) => metricsAnswer(metricsUrl, status),
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

/** A wait that is longer than this will not end well: say what there was instead. */
const longestAskingMs = 10_000;

function scrapeUntil(scrape: World['scrape'], wanted: RegExp | ((text: string) => boolean)): Promise<string> {
  const matches = typeof wanted === 'function' ? wanted : (text: string) => wanted.test(text);
  return until(scrape, matches, (text) => `expected metrics that match ${wanted}, got\n${text}`);
}

async function metricsAnswer(url: string, status: number): Promise<string> {
  const ask = async () => {
    const { statusCode, body } = await request(url);
    return { statusCode, text: await body.text() };
  };
  const answer = await until(
    ask,
    ({ statusCode }) => statusCode === status,
    ({ statusCode }) => `expected /metrics to answer ${status}, got ${statusCode}`,
  );
  return answer.text;
}

async function until<T>(
  ask: () => Promise<T>,
  good: (value: T) => boolean,
  sentence: (value: T) => string,
): Promise<T> {
  const giveUpAt = performance.now() + longestAskingMs;
  for (let value = await ask(); ; value = await ask()) {
    if (good(value)) return value;
    if (performance.now() > giveUpAt) throw new Error(sentence(value));
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
