import type { MapName } from '../../../../config/settings.ts';
import type { Kind } from '../../../../lib/run/kind.ts';
import { startHttpReceiver } from '../../../support/otlp-receiver.ts';
import { createRun, lasting, type RunOnServer } from '../../../support/run-on-server.ts';
import { svc } from '../../../support/runs.ts';
import { realServer } from '../../../support/server-under-test.ts';
import { startSink } from '../../../support/sink.ts';
import { sharedCluster } from '../../suite.ts';
import { until } from '../../until.ts';
import { type InstalledController, startInstalled } from './installed-controller.ts';
import { kubectl } from './kubectl.ts';
import { type Release, releaseIn } from './release.ts';

/** Data of a merge patch: null takes a key out. `SINK`, `OTHER` and `COLLECTOR` stand for addresses of the stage. */
export type Patch = Readonly<Record<string, string | null>>;

/** An installed chart with its default values, its controller, and everybody that a setting can point to. */
export type KeyStage = Awaited<ReturnType<typeof startKeyStage>>;

const namespace = 'keys';

/** What the maps hold between two rows. */
const between: Partial<Readonly<Record<MapName, Patch>>> = { 'config-events': { sink: 'SINK' } };

/** Installs the chart with helm in the namespace `keys` and starts its controller. */
export async function startKeyStage() {
  const { kubeconfigFile, etcdUrl } = sharedCluster();
  const release: Release = await releaseIn(namespace);
  await release.upgrade();
  const [sink, other, collector] = [await startSink(), await startSink(), await startHttpReceiver()];
  const server = realServer(kubeconfigFile, etcdUrl);
  const installed: InstalledController = await startInstalled(namespace);
  const { controller } = installed;
  const addresses: Readonly<Record<string, string>> = {
    SINK: sink.url,
    OTHER: other.url,
    COLLECTOR: collector.endpoint,
  };
  let made = 0;
  /** Exports that the collector had, and lines that the log had, when the last edit was made. */
  let before = { exports: 0, lines: 0 };

  const resolved = (data: Patch) =>
    Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, value === null ? null : (addresses[value] ?? value)]),
    );
  const patch = (map: MapName, data: Patch) => {
    const text = JSON.stringify({ data: resolved(data) });
    const output = ['-o', 'jsonpath={.metadata.resourceVersion}'];
    return kubectl(['patch', 'configmap', map, '-n', namespace, '--type', 'merge', '-p', text, ...output]);
  };
  const scrape = async () => (await (await fetch(installed.metricsUrl)).text()).replaceAll(svc.metricPrefix, '');
  const start = (kind: Kind, at = sink, more = {}): Promise<RunOnServer> => {
    made += 1;
    return createRun({ server, namespace, sink: at }, { kind, name: `run-${made}`, more });
  };
  async function run(kind: Kind, condition: string): Promise<RunOnServer> {
    const one = await start(kind);
    await one.condition(condition, lasting(42));
    return one;
  }

  async function edit(map: MapName, data: Patch): Promise<string | undefined> {
    before = { exports: collector.received.length, lines: controller.lines.length };
    const { code, stdout, stderr } = await patch(map, data);
    if (code !== 0) return / denied request: (.*)\n$/s.exec(stderr)?.[1] ?? stderr;
    await controller.logged((line) => line.map === map && line.resourceVersion === stdout);
    return undefined;
  }

  return {
    /** `kubectl patch`; the words of the refusal, or undefined once the controller has judged the new version. */
    edit,
    /** Takes keys back to what they were before. */
    async back(map: MapName, data: Patch): Promise<void> {
      const plain = Object.fromEntries(Object.keys(data).map((key) => [key, between[map]?.[key] ?? null]));
      const refusal = await edit(map, plain);
      if (refusal !== undefined) throw new Error(`${map}: expected to be set back, got: ${refusal}`);
    },
    run,
    /** Settles when the log has said that the last edit's exporter of traces is in place. */
    async traced(): Promise<void> {
      await controller.logged(({ msg }) => msg === 'runs are traced as the settings ask', before.lines);
    },
    /** Ends so many TaskRuns, each of another task. */
    async manyTasks(count: number): Promise<void> {
      const one = async (index: number) => {
        const more = { spec: { taskRef: { name: `task-${index}` } } };
        const task = await start('TaskRun', sink, more);
        await task.condition('True/Succeeded/', lasting(1));
      };
      await Promise.all(Array.from({ length: count }, (_, index) => one(index)));
    },
    /** The first line of a scrape like this, names without their prefix. */
    async line(wanted: RegExp): Promise<string> {
      let found = '';
      const look = async () => {
        found = (await scrape()).split('\n').find((line) => wanted.test(line)) ?? '';
        return found !== '';
      };
      await until(look, { what: `a line like ${wanted} in a scrape`, timeoutMs: 10_000 });
      return found;
    },
    /** Settles when a port answers so: status, and the sentence where it is not 200. */
    async answer(port: 'metrics' | 'profiling', wanted: string): Promise<string> {
      const url = port === 'metrics' ? installed.metricsUrl : `${installed.profilingUrl}/debug/pprof/`;
      const look = async () => {
        const answer = await fetch(url);
        const text = await answer.text();
        return `${answer.status} ${answer.status === 200 ? '' : text}`.trim() === wanted;
      };
      await until(look, { what: `${new URL(url).pathname} to answer ${wanted}`, timeoutMs: 10_000 });
      return `${new URL(url).pathname} answers ${wanted}`;
    },
    /** Settles when the collector has got so many exports since the last edit. */
    async collected(signal: 'metrics' | 'spans', count: number): Promise<string> {
      const got = () => collector.received.slice(before.exports).filter((one) => one[signal].length > 0);
      await until(async () => got().length >= count, { what: `${count} exports of ${signal}`, timeoutMs: 10_000 });
      return `${count === 1 ? '' : `${count} times `}POST ${got()[0]?.path} at COLLECTOR`;
    },
    /** Settles when the collector has got an exponential histogram since the last edit. */
    async collectedExponential(): Promise<string> {
      const batches = () => collector.received.slice(before.exports).flatMap(({ metrics }) => metrics);
      const found = () => batches().flatMap(({ items }) => items.find(({ type }) => type === 'exponential') ?? []);
      await until(async () => found().length > 0, { what: 'an exponential histogram', timeoutMs: 10_000 });
      return 'an exponential histogram at COLLECTOR';
    },
    /** Settles when the controller has printed the span of a new run. */
    async printedSpan(): Promise<string> {
      const { name } = await run('TaskRun', 'True/Succeeded/');
      await controller.printed(new RegExp(`"name":"${name}"`));
      return 'the span of a run on standard output';
    },
    /** Settles when a new run's end has been told, and gives the event's type. */
    async told(kind: Kind, how: '' | 'at OTHER' | 'without a traceparent' = ''): Promise<string> {
      const one = await start(kind, how === 'at OTHER' ? other : sink);
      await one.condition('True/Succeeded/', lasting(42));
      const { headers } = await one.told('successful');
      if (how === 'without a traceparent' && headers['ce-traceparent'] !== undefined) {
        throw new Error(`expected an event ${how}, got ${headers['ce-traceparent']}`);
      }
      return `${headers['ce-type']} ${how || 'at SINK'}`;
    },
    /** Settles when a sample has had three values within ten seconds. */
    async changing(sample: string): Promise<string> {
      const values = new Set<string>();
      const look = async () => {
        const line = (await scrape()).split('\n').find((one) => one.startsWith(`${sample} `));
        if (line !== undefined) values.add(line);
        return values.size >= 3;
      };
      await until(look, { what: `three values of ${sample}`, timeoutMs: 10_000 });
      return `${sample} changes thrice within 10 s`;
    },
    async close(): Promise<void> {
      await controller.stop();
      for (const one of [sink, other, collector, server]) await one.close();
      await release.uninstall(['--no-hooks']);
    },
  };
}
