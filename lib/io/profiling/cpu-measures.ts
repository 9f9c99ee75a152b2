import type { Profiler } from 'node:inspector';
import type { Frame, Measured, Measures } from './pprof.ts';

/** V8's own names for time in which none of our code ran. */
const notOurs = new Set(['(root)', '(idle)']);

/** A CPU profile of V8 as measures: samples, and nanoseconds, by call stack. Idle time is left out. */
export function cpuMeasures(profile: Profiler.Profile, startMs: number, intervalMicros: number): Measures {
  return {
    types: [
      { type: 'samples', unit: 'count' },
      { type: 'cpu', unit: 'nanoseconds' },
    ],
    samples: samplesOf(profile),
    period: intervalMicros * 1000,
    startMs,
    durationMs: (profile.endTime - profile.startTime) / 1000,
  };
}

interface Tally {
  samples: number;
  micros: number;
}

function* samplesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Generator<Measured> {
  const tallies = new Map<number, Tally>();
  samples.forEach((id, index) => {
    const tally = tallies.get(id) ?? { samples: 0, micros: 0 };
    tally.samples += 1;
    // A delta leads to its sample, so the time after it is the next one; negative where clocks were put right.
    tally.micros += Math.max(0, timeDeltas[index + 1] ?? 0);
    tallies.set(id, tally);
  });
  const stackOf = stacks(nodes);
  for (const [id, { samples, micros }] of tallies) {
    const stack = stackOf(id);
    if (stack.length > 0) yield { stack, values: [samples, micros * 1000] };
  }
}

/** Stacks by node, innermost first, built from the parents that nodes do not name themselves. */
function stacks(nodes: readonly Profiler.ProfileNode[]): (id: number) => readonly Frame[] {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  return (id) => {
    const stack: Frame[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const frame = frames.get(at);
      if (frame !== undefined && !notOurs.has(frame.functionName)) stack.push(frame);
    }
    return stack;
  };
}
