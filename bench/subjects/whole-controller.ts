import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parseProcessOptions } from '../../config/process-options.ts';
import { openConnection } from '../../lib/io/kube/kube-connection.ts';
import { keepNurserySmall } from '../../lib/io/small-nursery.ts';
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
  /** The longest that the event loop did not turn meanwhile, ms of this thread's CPU: others' work is left out. */
  readonly blockMs: number;
}

// As in streams/main.ts.
keepNurserySmall();
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
let port = 0;
let begun: Pick<Inside, 'cpuMs' | 'blockMs'> | undefined;

async function start(): Promise<NonNullable<typeof begun>> {
  const endBlocks = watchBlocks();
  const before = process.cpuUsage();
  port = (await startController({ options, connection: openConnection(url), log })).metricsPort;
  await eventually(async () => logged.has('synced'), 5);
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1000, blockMs: endBlocks() };
}

/** Looks every millisecond how much CPU the thread has had since the last look; ends with the most, ms. */
function watchBlocks(): () => number {
  let most = 0;
  let last = process.threadCpuUsage();
  const look = () => {
    const now = process.threadCpuUsage();
    most = Math.max(most, now.user + now.system - last.user - last.system);
    last = now;
  };
  const timer = setInterval(look, 1);
  return () => {
    clearInterval(timer);
    look();
    return most / 1000;
  };
}

process.on('message', async ({ id }: { readonly id: number }) => {
  begun ??= await start();
  for (let pass = 0; pass < 4; pass += 1) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed: heap } = process.memoryUsage();
  const told: Inside = { heap, retained: await metricAt(port, 'retained_runs', 'taskruns'), ...begun };
  process.send?.({ id, told });
});
process.on('disconnect', () => process.exit(0));
process.send?.({ id: 0, told: {} });
