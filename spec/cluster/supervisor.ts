import { type Daemon, type DaemonOptions, startDaemon } from './daemon.ts';
import { type Guard, startGuard } from './guard.ts';
import { until } from './until.ts';

/** Starts and ends named servers, and sees to it that none outlives this process. */
export interface Supervisor {
  /** Settles when `ready` answers true; rejects with the server's last log lines when it ends instead. */
  start(options: DaemonOptions, ready: () => Promise<boolean>): Promise<void>;
  /** Settles when the server is gone; at once when it does not run. */
  stop(name: string, signal?: NodeJS.Signals): Promise<void>;
  /** Kills what runs and removes the folder. */
  end(): Promise<void>;
}

/** A supervisor of none yet; `dir` is removed at its end or at ours, whichever comes first. */
export function supervisor(dir: string): Supervisor {
  const guard: Guard = startGuard(dir);
  const running = new Map<string, Daemon>();
  const tellGuard = () => guard.watch([...running.values()].map(({ pid }) => pid));

  async function stop(name: string, signal?: NodeJS.Signals): Promise<void> {
    await running.get(name)?.stop(signal);
    running.delete(name);
    tellGuard();
  }
  return {
    async start(options, ready) {
      const daemon = await startDaemon(options);
      running.set(options.name, daemon);
      tellGuard();
      await until(ready, {
        what: `${options.name} to be ready`,
        hopeless: () => (daemon.ended() ? `its end:\n${daemon.lastWords()}` : undefined),
      });
    },
    stop,
    async end() {
      await Promise.all([...running.keys()].map((name) => stop(name, 'SIGKILL')));
      await guard.release();
    },
  };
}
