import { refusesShare } from '../behaviours.ts';
import { take } from '../numbered-sink.ts';
import type { Row } from '../row.ts';
import type { Asked } from '../servers/spy.ts';
import type { Stage } from '../stage.ts';

/** What ends a controller, and when. */
export const processRows: readonly Row[] = [
  {
    name: 'controller SIGKILL once',
    seconds: 3,
    harm: killAndRestart,
  },
  {
    name: 'controller SIGKILL ten times',
    seconds: 0.5,
    harm: killTenTimes,
  },
  {
    name: 'controller SIGKILL ten times while the sink refuses 30%',
    seconds: 0.5,
    harm: async (stage) => {
      stage.sink.behaviour = refusesShare(0.3);
      await killTenTimes(stage);
      stage.sink.behaviour = take;
    },
  },
  {
    name: 'controller SIGKILL in every phase of a delivery',
    seconds: 0,
    spied: true,
    harm: async (stage) => {
      for (const phase of phases) {
        await phase(stage);
        await stage.stop('SIGKILL');
        forget(stage);
        await stage.start();
        await stage.wait(1);
      }
    },
  },
  {
    name: 'controller SIGTERM under load, five times',
    seconds: 0.5,
    harm: async (stage) => {
      for (let ended = 0; ended < 5; ended += 1) {
        await terminate(stage);
        await stage.wait(stage.seconds);
        await stage.start();
        await stage.wait(1);
      }
    },
  },
  {
    name: 'controller SIGTERM while the sink is down',
    seconds: 3,
    harm: async (stage) => {
      await stage.sink.close();
      await stage.wait(stage.seconds);
      await terminate(stage);
      await stage.start();
      await stage.wait(stage.seconds);
      await stage.sink.reopen('same');
    },
  },
];

async function killAndRestart(stage: Stage): Promise<void> {
  await stage.stop('SIGKILL');
  await stage.wait(stage.seconds);
  await stage.start();
}

async function killTenTimes(stage: Stage): Promise<void> {
  for (let killed = 0; killed < 10; killed += 1) {
    await killAndRestart(stage);
    await stage.wait(0.5 + Math.random());
  }
}

async function terminate(stage: Stage): Promise<void> {
  const code = await stage.stop('SIGTERM');
  if (code !== 0) stage.remarks.push({ name: 'exit code after SIGTERM', value: String(code), good: false });
}

/** Each settles at its phase. The kill follows in the same turn of the loop. */
const phases: readonly ((stage: Stage) => Promise<void>)[] = [
  // Written, and on its way to the controller.
  ({ load }) => load.reaches(0),
  // Posted, not answered: the sink has it, the controller does not know.
  ({ sink }) => once((reached) => (sink.onArrival = reached)),
  // Answered, not written down.
  ({ sink }) => once((reached) => (sink.onAnswered = reached)),
  // The checkpoint is on its way and never gets there.
  ({ server: { spy } }) =>
    once((reached) => {
      spy.onRequest = (asked) => {
        if (!isCheckpoint(asked)) return 'pass';
        reached();
        return 'hang';
      };
    }),
  // The checkpoint is written, its answer never read.
  ({ server: { spy } }) =>
    once((reached) => {
      spy.onAnswer = (asked) => {
        if (!isCheckpoint(asked)) return 'pass';
        reached();
        return 'hang';
      };
    }),
];

function once(arm: (reached: () => void) => void): Promise<void> {
  return new Promise((resolve) => arm(() => resolve()));
}

function isCheckpoint({ method, path }: Asked): boolean {
  return method === 'PUT' && path.includes('/leases/');
}

function forget({ sink, server: { spy } }: Stage): void {
  sink.onArrival = () => {};
  sink.onAnswered = () => {};
  spy.forget();
}
