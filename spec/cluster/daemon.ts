import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

export interface DaemonOptions {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  /** Appended to: standard output and standard error. */
  readonly logFile: string;
}

/** A running server process, leader of a process group of its own. */
export interface Daemon {
  readonly pid: number;
  /** Whether it has ended, by itself or by us. */
  readonly ended: () => boolean;
  /** Ends it and settles when it is gone; at once when it already was. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>;
  /** Its last lines, to explain a start that came to nothing. */
  readonly lastWords: () => string;
}

/** Starts a server process; rejects when there is no such file. */
export async function startDaemon({ name, file, args, logFile }: DaemonOptions): Promise<Daemon> {
  const log = openSync(logFile, 'a');
  const child = spawn(file, args, { detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  let gone = false;
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      gone = true;
      resolve();
    });
  });
  await new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) => {
      reject(new Error(`${name}: expected a binary at ${file}, got ${cause.message}`, { cause }));
    });
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name}: expected a process id, got none`);
  return {
    pid,
    ended: () => gone,
    async stop(signal = 'SIGTERM') {
      if (!gone) process.kill(-pid, signal);
      await exited;
    },
    lastWords: () => readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-8).join('\n'),
  };
}
