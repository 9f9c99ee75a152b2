import { Session } from 'node:inspector/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { cpuMeasures } from './cpu-measures.ts';
import { heapMeasures } from './heap-measures.ts';
import type { Measures } from './pprof.ts';

/** Every millisecond: enough to see what a watch event costs. */
const cpuIntervalMicros = 1000;
/** Go's own, and V8's default is the same order. */
const heapIntervalBytes = 524_288;

/** Profiles of this process, from V8 itself. */
export interface Profiles {
  /** What ran within the next seconds. Rejects as soon as the signal aborts. */
  cpu(seconds: number, signal: AbortSignal): Promise<Measures>;
  /** What was allocated since `openProfiles` and is still in use. */
  heap(): Promise<Measures>;
  /** Ends the sampling of the heap. */
  close(): void;
}

let cpuSession: Session | undefined;

/**
 * The one session that samples the CPU, for the life of the process: idle, it costs nothing.
 *
 * V8 takes the end of any session that did as the end of everybody's, a coverage run's too.
 */
function theCpuSession(): Session {
  if (cpuSession !== undefined) return cpuSession;
  cpuSession = new Session();
  cpuSession.connect();
  return cpuSession;
}

/** Starts sampling the heap, which costs next to nothing; the CPU is sampled only while asked. */
export async function openProfiles(now: () => number = Date.now): Promise<Profiles> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.startSampling', { samplingInterval: heapIntervalBytes });
  return {
    async cpu(seconds, signal) {
      const cpu = theCpuSession();
      await cpu.post('Profiler.enable');
      await cpu.post('Profiler.setSamplingInterval', { interval: cpuIntervalMicros });
      await cpu.post('Profiler.start');
      const startMs = now();
      const over = await wait(seconds * 1000, true, { signal }).catch(() => false);
      const { profile } = await cpu.post('Profiler.stop');
      if (!over) throw signal.reason;
      return cpuMeasures(profile, startMs, cpuIntervalMicros);
    },
    async heap() {
      const { profile } = await session.post('HeapProfiler.getSamplingProfile');
      return heapMeasures(profile, now(), heapIntervalBytes);
    },
    close: () => session.disconnect(),
  };
}
