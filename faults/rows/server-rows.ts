import type { Row } from '../row.ts';
import { createRun, type RunScript } from '../run-script.ts';
import type { Stage } from '../stage.ts';

/** What an API server does, or lets be done to it. */
export const serverRows: readonly Row[] = [
  {
    name: 'API server down 20 s',
    seconds: 20,
    harm: async ({ server, wait, seconds }) => {
      await server.down();
      await wait(seconds);
      await server.up();
    },
  },
  {
    name: 'API server restarted while the controller was down',
    seconds: 2,
    harm: async (stage) => {
      const { server, wait, seconds } = stage;
      await stage.stop('SIGKILL');
      await server.down();
      await wait(seconds);
      await server.up();
      await wait(seconds);
      await stage.start();
      await wait(seconds);
    },
  },
  {
    name: 'watch cut every second',
    seconds: 10,
    harm: async ({ server, wait, seconds }) => {
      for (let cut = 0; cut < seconds; cut += 1) {
        server.cut();
        await wait(1);
      }
    },
  },
  {
    name: '410 after compaction while the controller was down',
    seconds: 2,
    lossOf: 'present',
    harm: async (stage) => {
      const still = await stillRuns(stage);
      await stage.wait(3);
      await stage.stop('SIGKILL');
      await stage.wait(stage.seconds);
      await stage.server.compact();
      await stage.start();
      await stage.wait(1);
      for (const script of still) await script.finish();
    },
  },
  {
    name: '410 after compaction while the watch was cut',
    seconds: 1,
    lossOf: 'present',
    harm: async ({ server, wait, seconds }) => {
      await server.down();
      await wait(seconds);
      await server.compact().catch(() => {});
      await server.up();
      await wait(1);
    },
    servers: ['sandbox'],
  },
  {
    name: 'storage restarted',
    seconds: 0,
    skip: ({ restartStorage }) => (restartStorage === undefined ? 'this server has no storage of its own' : undefined),
    harm: async ({ server, wait }) => {
      await server.restartStorage?.();
      await wait(2);
    },
  },
];

/** Runs that stay at each line of the script, written within one second: told before, and told again after a loss. */
async function stillRuns(stage: Stage): Promise<readonly RunScript[]> {
  const scripts: RunScript[] = [];
  for (let number = 0; number < 24; number += 1) {
    const script = await createRun(stage, `still-${number}`, number);
    const steps = 1 + Math.floor(number / 6);
    for (let step = 0; step < steps; step += 1) await script.step();
    scripts.push(script);
  }
  return scripts.filter((_, number) => number < 18);
}
