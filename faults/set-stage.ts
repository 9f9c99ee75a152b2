import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startProcess } from '../spec/support/controller-process.ts';
import { createLedger } from './ledger.ts';
import { startLoad } from './load.ts';
import { startNumberedSink } from './numbered-sink.ts';
import type { Row } from './row.ts';
import type { FaultServer } from './servers/fault-server.ts';
import { openSmallDisk, type SmallDisk } from './small-disk.ts';
import type { Replica, Stage } from './stage.ts';

interface StageOptions {
  readonly row: Row;
  readonly server: FaultServer;
  readonly seconds: number;
  readonly runs: number;
  readonly writesPerSecond: number;
}

/** Everything started: controllers are synced, the load is under way. */
export async function setStage(options: StageOptions): Promise<Stage> {
  const { row, server, seconds } = options;
  const namespace = await server.freshNamespace();
  const sink = await startNumberedSink();
  const ledger = createLedger();
  const disk = row.diskBytes === undefined ? undefined : openSmallDisk(row.diskBytes);
  const controllers: Replica[] = [];
  const everStarted: Replica[] = [];
  const pointAtSink = (path = '') => server.writeMap(namespace, 'config-events', { sink: `${sink.url}${path}` });
  let started = 0;
  const start = async () => {
    started += 1;
    const configNamespace = await configure({ row, server, namespace, sink }, started);
    const args = [
      ...argsOf(server, row),
      ...placeArgs(namespace, configNamespace),
      ...dataArgs(disk),
      ...(row.args ?? []),
    ];
    const controller = Object.assign(startProcess(args, row.env?.()), { path: pathOf(row, started) });
    controllers.push(controller);
    everStarted.push(controller);
    await controller.logged(({ msg, role }) => msg === 'synced' || role === 'standby');
    // What happens before the baseline of the very first start stands in the lease is part of it, if we die by then.
    if (controller.lines.some(({ msg }) => msg.startsWith('no checkpoint'))) {
      await controller.logged(({ msg }) => msg.startsWith('the baseline is written'));
    }
    return controller;
  };
  while (started < (row.replicas ?? 1)) await start();
  const stage: Stage = {
    server,
    namespace,
    sink,
    ledger,
    disk,
    seconds,
    controllers,
    everStarted,
    untakeable: new Set(),
    remarks: [],
    errors: { fromMs: 0, toMs: 0 },
    load: startLoad({
      ...options,
      namespace,
      ledger,
      afterwards: row.afterwards ?? 'keep',
      onDone: (script) => row.onDone?.(stage, script),
    }),
    pointAtSink,
    start,
    stop: async (signal) => controllers.pop()?.stop(signal) ?? null,
    wait: (waitSeconds) => wait(waitSeconds * 1000),
  };
  return stage;
}

type Given = Pick<StageOptions, 'row' | 'server'> & Pick<Stage, 'namespace' | 'sink'>;

/**
 * Writes the config maps of a controller and gives their namespace.
 *
 * Replicas have maps of their own, so that each posts to a path of its own: the sink sees who sent what.
 */
async function configure({ row, server, namespace, sink }: Given, started: number): Promise<string> {
  const shared = (row.replicas ?? 1) === 1;
  const configNamespace = shared ? namespace : await server.freshNamespace();
  if (shared && started > 1) return namespace;
  await server.writeMap(configNamespace, 'config-events', { sink: `${sink.url}${pathOf(row, started)}` });
  await server.writeMap(configNamespace, 'feature-flags', { 'send-cloudevents-for-runs': 'true' });
  return configNamespace;
}

function pathOf({ replicas = 1 }: Row, started: number): string {
  return replicas === 1 ? '' : `/replica-${started}`;
}

function argsOf(server: FaultServer, { replicas = 1, spied = false }: Row): string[] {
  const kubeconfigFile = spied ? server.spiedKubeconfigFile : server.kubeconfigFile;
  const ports = ['--metrics-port', '0', '--health-port', '0', '--profiling-port', '0'];
  return ['--kubeconfig', kubeconfigFile, ...ports, '--leader-elect', String(replicas > 1)];
}

function placeArgs(namespace: string, configNamespace: string): string[] {
  const lease = ['--lease-namespace', namespace, '--lease-name', 'faults'];
  return ['--config-namespace', configNamespace, '--watch-namespace', namespace, ...lease];
}

function dataArgs(disk: SmallDisk | undefined): string[] {
  return disk === undefined ? [] : ['--data-dir', join(disk.dir, 'data')];
}
