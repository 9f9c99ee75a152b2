import { setTimeout as wait } from 'node:timers/promises';

/** Resolves after so many ms. */
export async function pause(ms: number): Promise<void> {
  await wait(ms);
}

/** Asks again every so many ms until the answer is yes. */
export async function eventually(asked: () => Promise<boolean>, everyMs = 100): Promise<void> {
  while (!(await asked())) await pause(everyMs);
}
