import { setTimeout as wait } from 'node:timers/promises';

interface UntilOptions {
  /** What is waited for, as the end of the sentence that tells it never came. */
  readonly what: string;
  /** Milliseconds; 60,000 by default: ten times what a loaded machine of two cores needed. */
  readonly timeoutMs?: number;
  /** Says why there is no use in waiting longer; asked before each try. */
  readonly hopeless?: () => string | undefined;
}

/**
 * Settles when `ready` first answers true; a rejection counts as "not yet" and is the cause when time is up.
 *
 * Asks ten times a second, because a server that starts has no other way to say that it is ready.
 */
export async function until(ready: () => Promise<boolean>, options: UntilOptions): Promise<void> {
  const { what, timeoutMs = 60_000, hopeless = () => undefined } = options;
  const deadline = performance.now() + timeoutMs;
  let cause: unknown;
  while (performance.now() < deadline) {
    const verdict = hopeless();
    if (verdict !== undefined) throw new Error(`expected ${what}, got ${verdict}`);
    try {
      if (await ready()) return;
    } catch (error) {
      cause = error;
    }
    await wait(100);
  }
  throw new Error(`expected ${what} within ${timeoutMs / 1000} s`, { cause });
}
