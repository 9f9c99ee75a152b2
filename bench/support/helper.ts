import { fork } from 'node:child_process';
import { join } from 'node:path';

/** A process of the bench that takes orders and answers each. */
export interface Helper<Asked, Told> {
  readonly pid: number;
  /** What it said of itself when it was ready. */
  readonly first: Told;
  ask(asked: Asked): Promise<Told>;
  /** Ends it; settles when it is gone. */
  stop(): Promise<void>;
}

/**
 * Starts a module of `bench/` as a process of its own and waits until it is ready.
 *
 * Every answer is `{ id, told }`, that of being ready has the id 0. Rejects when it ends without an answer.
 */
export async function startHelper<Asked, Told>(
  module: string,
  args: readonly string[] = [],
  execArgv: readonly string[] = [],
): Promise<Helper<Asked, Told>> {
  const child = fork(join(import.meta.dirname, '..', module), args, { execArgv: [...execArgv] });
  const waiting = new Map<number, PromiseWithResolvers<Told>>();
  const expect = (id: number) => {
    const settled = Promise.withResolvers<Told>();
    waiting.set(id, settled);
    return settled.promise;
  };
  const ended = new Promise<void>((resolve) => {
    child.once('close', (code, signal) => {
      for (const { reject } of waiting.values()) reject(new Error(`${module} ended with ${code ?? signal}`));
      resolve();
    });
  });
  child.on('message', (message: { readonly id: number; readonly told: Told }) => {
    waiting.get(message.id)?.resolve(message.told);
    waiting.delete(message.id);
  });
  const first = await expect(0);
  let last = 0;
  return {
    pid: child.pid ?? 0,
    first,
    ask: (asked) => {
      last += 1;
      const answer = expect(last);
      child.send({ id: last, asked });
      return answer;
    },
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
