import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The controller as it is shipped, running as a process of its own. */
interface Controller {
  readonly pid: number;
  /** From its start until it listened, and until it had listed everything, ms. */
  readonly listeningMs: number;
  readonly syncedMs: number;
  /** The value of a metric at a scrape made now: the sum over its series that hold this text. */
  metric(name: string, within?: string): Promise<number>;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, '../..');
const bundle = join(root, '.cache/bench/controller.mjs');

/** Builds what is measured, apart from `dist/`. Throws when it does not build. */
export function buildBundle(): void {
  const args = [join(root, 'scripts/build.mjs'), join(root, 'streams/main.ts'), bundle];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`expected the bundle to build, got exit code ${status}`);
}

interface Options {
  /** Of the API server. */
  readonly url: string;
  /** A kubeconfig file instead of one for the URL. */
  readonly kubeconfig?: string;
  readonly args?: readonly string[];
  readonly nodeArgs?: readonly string[];
}

/** Starts the bundle against an API server; settles once it is synced, rejects when it ends before. */
export async function startController({ url, kubeconfig, args = [], nodeArgs = [] }: Options): Promise<Controller> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-'));
  const file = kubeconfig ?? join(dir, 'kubeconfig');
  if (kubeconfig === undefined) writeFileSync(file, kubeconfigText(url));
  const startedMs = performance.now();
  const ports = ['--metrics-port', '0', '--health-port', '0', '--profiling-port', '0', '--bind-address', '127.0.0.1'];
  const child = spawn(process.execPath, [...nodeArgs, bundle, '--kubeconfig', file, ...ports, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const closed = once(child, 'close');
  const stop = async () => {
    kill();
    process.off('exit', kill);
    await closed;
    rmSync(dir, { recursive: true });
  };
  const lines: string[] = [];
  const logged = new Map<string, number>();
  const { promise: synced, resolve, reject } = Promise.withResolvers<void>();
  let metricsPort = 0;
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line);
    const { msg, metricsPort: port } = parsed(line);
    if (msg === undefined || logged.has(msg)) return;
    logged.set(msg, performance.now() - startedMs);
    metricsPort = port ?? metricsPort;
    if (msg === 'synced') resolve();
  });
  child.once('close', () => reject(new Error(`the controller ended before it was synced:\n${lines.join('\n')}`)));
  await synced;
  return {
    pid: child.pid ?? 0,
    listeningMs: logged.get('listening') ?? Number.NaN,
    syncedMs: logged.get('synced') ?? Number.NaN,
    metric: (name, within = '') => metricAt(metricsPort, name, within),
    stop,
  };
}

/** The value of a metric of the controller on this port: the sum over its series that hold a text. */
export async function metricAt(port: number, name: string, within = ''): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const start = `svc_pipelines_controller_${name}`;
  const found = text.split('\n').filter((line) => line.startsWith(start) && line.includes(within));
  return found.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

/** Waits until a metric has come this far; looks five times a second, which a scrape without runs' labels bears. */
export async function reached(controller: Controller, name: string, within: string, value: number): Promise<void> {
  while ((await controller.metric(name, within)) < value) await new Promise((resolve) => setTimeout(resolve, 200));
}

function parsed(line: string): { readonly msg?: string; readonly metricsPort?: number } {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}

/** A kubeconfig file, as JSON, for a server that asks for no credentials. */
export function kubeconfigText(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'bench',
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    clusters: [{ name: 'bench', cluster: { server } }],
    users: [{ name: 'bench', user: {} }],
  });
}
