import type { RunOptions } from '../../config/process/run-options.ts';
import { type KubeConnection, openConnection } from '../../lib/io/kube/kube-connection.ts';
import { startSandboxApi } from '../../lib/sandbox/api/start-sandbox-api.ts';
import { formatEventLine } from '../../lib/sandbox/format-event-line.ts';
import { startSimulator } from '../../lib/sandbox/simulator/start-simulator.ts';
import { startSink } from '../../lib/sandbox/sink.ts';

/** The cluster, its runs and the sink that a first look needs, all in this process. */
export interface EmbeddedSandbox {
  readonly connection: KubeConnection;
  /** The API's address, to be opened by curl and kubectl. */
  readonly url: string;
  close(): Promise<void>;
}

interface Options {
  readonly options: Pick<RunOptions, 'profile' | 'configNamespace' | 'sandboxPort' | 'sandboxRate'>;
  /** Takes a line for each event that arrives. */
  readonly print: (line: string) => void;
}

/** Starts an API server with the config maps of a first look, a simulator that moves runs, and a sink that prints. */
export async function startEmbeddedSandbox({ options, print }: Options): Promise<EmbeddedSandbox> {
  const { profile, configNamespace, sandboxPort, sandboxRate: changesPerSecond } = options;
  const sink = await startSink({ onEvent: (event) => print(formatEventLine(event)) });
  const start = (port: number) => startSandboxApi({ profile, port, namespaces: [configNamespace] });
  const api = await start(sandboxPort).catch(() => start(0));
  for (const [name, data] of Object.entries(firstMaps(sink.url))) {
    api.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: configNamespace }, data });
  }
  const simulator = startSimulator({ api, profile, changesPerSecond });
  return {
    connection: openConnection(api.url),
    url: api.url,
    close: async () => {
      await simulator.stop();
      await api.close();
      await sink.close();
    },
  };
}

function firstMaps(sink: string): Readonly<Record<string, Readonly<Record<string, string>>>> {
  return {
    'config-observability': {},
    'config-events': { sink },
    'config-defaults': {},
    'feature-flags': { 'send-cloudevents-for-runs': 'true' },
  };
}
