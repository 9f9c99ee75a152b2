import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type ControllerProcess, startProcess } from '../spec/support/controller-process.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { type Load, startLoad } from './load.ts';
import { type NumberedSink, startNumberedSink } from './numbered-sink.ts';
import type { Remark, Row } from './row.ts';
import type { FaultServer } from './servers/fault-server.ts';
import { openSmallDisk, type SmallDisk } from './small-disk.ts';

/** A controller process, and the end of the path that it posts to. */
export type Replica = ControllerProcess & { readonly path: string };

/** What a row has before it: a server, a sink, controllers between them, and a load. */
export interface Stage {
  readonly server: FaultServer;
  readonly namespace: string;
  readonly sink: NumberedSink;
  readonly ledger: Ledger;
  readonly load: Load;
  /** Where the data dir is; undefined where the row wants none. */
  readonly disk: SmallDisk | undefined;
  /** How long the fault is to last, s. */
  readonly seconds: number;
  /** Controllers that run, in the order of their start. */
  readonly controllers: Replica[];
  /** Those, and the ones that have ended. */
  readonly everStarted: readonly Replica[];
  /** Keys that the sink will never take. */
  readonly untakeable: Set<string>;
  readonly remarks: Remark[];
  /** When the sink began to answer only errors, and stopped to; ms. */
  readonly errors: { fromMs: number; toMs: number };
  /** Names the sink in the config map. */
  pointAtSink(path?: string): Promise<void>;
  /** Starts another controller; settles when it is synced, or standing by. */
  start(): Promise<Replica>;
  /** Ends the only controller with a signal and gives its exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
  wait(seconds: number): Promise<void>;
}

export interface StageOptions {
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
