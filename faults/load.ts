import { setTimeout as wait } from 'node:timers/promises';
import type { Ledger } from './ledger.ts';
import { createRun, type RunScript } from './run-script.ts';
import type { FaultServer } from './servers/fault-server.ts';

interface LoadOptions {
  readonly server: FaultServer;
  readonly namespace: string;
  readonly ledger: Ledger;
  readonly writesPerSecond: number;
  /** It goes on at least until so many runs have ended. */
  readonly runs: number;
  /** What becomes of a run after its last write. */
  readonly afterwards: 'keep' | 'delete' | 'make-again';
  /** Which last write of all is never taken by the sink; called once a run is done. */
  readonly onDone?: (script: RunScript) => void;
}

/** Runs that are written one condition at a time. */
export interface Load {
  /** Lets no new run begin once there have been enough; settles when the last write is done. */
  finish(): Promise<void>;
  /** Settles when so many condition writes have been made. */
  reaches(writes: number): Promise<void>;
}

/** Runs under way at once: half a second passes between two writes of one run at 100 writes a second. */
const width = 50;

/** Starts writing. */
export function startLoad(options: LoadOptions): Load {
  const state = { ending: false, made: 0, writes: 0, waiting: new Set<() => void>() };
  const done = drive(options, state);
  done.catch(() => {});
  return {
    finish: () => {
      state.ending = true;
      return done;
    },
    reaches: (writes) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (state.writes < writes) return;
          state.waiting.delete(look);
          resolve();
        };
        state.waiting.add(look);
        done.catch(reject);
        look();
      }),
  };
}

interface State {
  ending: boolean;
  made: number;
  writes: number;
  readonly waiting: Set<() => void>;
}

async function drive(options: LoadOptions, state: State): Promise<void> {
  const active: RunScript[] = [];
  const pace = createPace(options.writesPerSecond);
  for (let turn = 0; ; turn += 1) {
    while (active.length < width && (!state.ending || state.made < options.runs)) {
      active.push(await nextRun(options, state));
    }
    const script = active[turn % Math.max(1, active.length)];
    if (script === undefined) return;
    await pace();
    const more = await script.step();
    state.writes += 1;
    for (const look of [...state.waiting]) look();
    if (more) continue;
    active.splice(active.indexOf(script), 1);
    await end(script, options);
  }
}

async function nextRun(options: LoadOptions, state: State): Promise<RunScript> {
  state.made += 1;
  return createRun(options, `run-${String(state.made).padStart(5, '0')}`, state.made);
}

async function end(script: RunScript, options: LoadOptions): Promise<void> {
  options.onDone?.(script);
  if (options.afterwards === 'keep') return;
  await script.remove();
  if (options.afterwards === 'delete' || script.generation > 0) return;
  const again = await createRun(options, script.name, script.number, script.generation + 1);
  while (await again.step());
}

/** Waits for the next tick; a writer that was held up for more than a second does not catch up. */
function createPace(perSecond: number): () => Promise<void> {
  let dueMs = performance.now();
  return async () => {
    dueMs += 1000 / perSecond;
    const nowMs = performance.now();
    if (nowMs - dueMs > 1000) dueMs = nowMs;
    if (dueMs > nowMs) await wait(dueMs - nowMs);
  };
}
