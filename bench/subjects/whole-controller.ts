// First, as in streams/main.ts.
import '../../lib/io/small-nursery.ts';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parseProcessOptions } from '../../config/process-options.ts';
import { openConnection } from '../../lib/io/kube/kube-connection.ts';
import { startController } from '../../streams/wiring/start-controller.ts';
import { metricAt } from '../support/controller.ts';
import { eventually } from '../support/pause.ts';

/** What the whole controller holds and how long it blocks, told from inside its process. */
export interface Inside {
  /** Bytes on the heap after a full collection. */
  readonly heap: number;
  readonly retained: number;
  /** From the order to begin until everything was listed, ms of CPU. */
  readonly cpuMs: number;
  readonly blockMs: number;
}

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
const [url = ''] = process.argv.slice(2);
const argv = [
  '--metrics-port',
  '0',
  '--health-port',
  '0',
  '--profiling-port',
  '0',
  '--bind-address',
  '127.0.0.1',
  '--leader-elect',
  'false',
];
const asked = parseProcessOptions({ argv, env: {}, readFile: () => '', bare: 'sandbox' });
if ('error' in asked || asked.command !== 'run') throw new Error('expected options to run with');
const { options } = asked;
const nothing = () => {};
const logged = new Set<string>();
const log = {
  debug: nothing,
  info: (_: object, text: string) => void logged.add(text),
  warn: nothing,
  error: console.error,
};
const delay = monitorEventLoopDelay({ resolution: 1 });
let port = 0;

async function start(): Promise<number> {
  delay.enable();
  const before = process.cpuUsage();
  port = (await startController({ options, connection: openConnection(url), log })).metricsPort;
  await eventually(async () => logged.has('synced'), 5);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

process.on('message', async ({ id }: { readonly id: number }) => {
  const cpuMs = port === 0 ? await start() : 0;
  const blockMs = delay.max / 1e6;
  for (let pass = 0; pass < 4; pass += 1) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed: heap } = process.memoryUsage();
  process.send?.({ id, told: { heap, retained: await metricAt(port, 'retained_runs', 'taskruns'), cpuMs, blockMs } });
});
process.on('disconnect', () => process.exit(0));
process.send?.({ id: 0, told: {} });
