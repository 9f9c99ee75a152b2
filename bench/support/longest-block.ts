import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What something gave, how long it took, and the longest time in it that the event loop did not turn, ms. */
interface Blocked<T> {
  readonly value: T;
  readonly ms: number;
  readonly blockMs: number;
}

/** Does something and watches the event loop, to a millisecond. */
export async function longestBlock<T>(work: () => Promise<T>): Promise<Blocked<T>> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await turn();
  const startedMs = performance.now();
  const value = await work();
  const ms = performance.now() - startedMs;
  await turn();
  delay.disable();
  return { value, ms, blockMs: delay.max / 1e6 };
}

// The monitor's own timer must have fired before and after.
const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
