import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Cleans up after this process, however it ends. */
export interface Guard {
  /** The process groups to end, instead of those named before. */
  watch(pids: readonly number[]): void;
  /** Ends them and removes the folder now; settles when that is done. */
  release(): Promise<void>;
}

/**
 * Starts a shell that outlives us: when its standard input ends, it kills what it was last told and removes `dir`.
 *
 * The kernel closes the pipe on every way out: return, uncaught error, SIGINT, even SIGKILL, which no handler of
 * ours would see. It has a session of its own, so that Ctrl-C in a terminal does not end it first.
 */
export function startGuard(dir: string): Guard {
  const script =
    'while read -r line; do pids=$line; done; for pid in $pids; do kill -s KILL -- "-$pid"; done; rm -rf "$0"';
  const shell = spawn('sh', ['-c', script, dir], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  return {
    watch(pids) {
      shell.stdin.write(`${pids.join(' ')}\n`);
    },
    async release() {
      const exited = once(shell, 'exit');
      shell.stdin.end();
      await exited;
    },
  };
}
