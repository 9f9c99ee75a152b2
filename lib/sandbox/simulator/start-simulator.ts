import { setTimeout as sleep } from 'node:timers/promises';
import type { Profile } from '../../profile.ts';
import type { Kind } from '../../run/kind.ts';
import type { ScriptedCondition } from './lives.ts';
import { type Root, rootAt } from './plan.ts';
import { playLife } from './play-life.ts';
import { playPipeline } from './play-pipeline.ts';
import { seededRandom } from './random.ts';
import { type Actor, type SimulatedApi, Stage } from './stage.ts';

export interface SimulatorOptions {
  readonly api: SimulatedApi;
  readonly profile: Profile;
  /** Where the runs are. Default `default`. */
  readonly namespace?: string;
  /** The same seed gives the same history. Default 1. */
  readonly seed?: number;
  /** Writes a second. Default 5. */
  readonly changesPerSecond?: number;
  /** Finished runs that stay; older ones are deleted, PipelineRuns with their children. Default 200. */
  readonly keepFinished?: number;
  /** Default 5,000. */
  readonly maxActive?: number;
  readonly nowMs?: () => number;
  /** Resolves after so many ms; rejects when aborted. */
  readonly delay?: (delayMs: number, signal: AbortSignal) => Promise<unknown>;
  /** Told of every condition written: for specs and for a terminal. */
  readonly onCondition?: (kind: Kind, condition: ScriptedCondition) => void;
}

interface Simulator {
  /** Resolves after `stop`; rejects when a write failed, after which nothing more is written. */
  readonly done: Promise<void>;
  /** The same as `done`, once nothing more will be written. */
  stop(): Promise<void>;
}

const defaultDelay = (delayMs: number, signal: AbortSignal) => sleep(delayMs, undefined, { signal });

/**
 * Makes runs and moves them through believable lives until stopped: one write a slot, and a new run whenever
 * nothing else is due.
 *
 * What happens depends on the seed and the rate alone; the clock gives only the pace and the timestamps. A slow
 * process falls behind for a second at most, then leaves slots out.
 */
export function startSimulator(options: SimulatorOptions): Simulator {
  const { changesPerSecond = 5, nowMs = Date.now, delay = defaultDelay } = options;
  const slot = simulation({ ...options, nowMs });
  const stopped = new AbortController();
  const slotMs = 1000 / changesPerSecond;
  const run = async () => {
    let nextMs = nowMs();
    while (!stopped.signal.aborted) {
      for (let n = 0; n < 1000 && nextMs <= nowMs(); n += 1, nextMs += slotMs) slot(slotMs);
      nextMs = Math.max(nextMs, nowMs() - 1000);
      await delay(Math.max(1, nextMs - nowMs()), stopped.signal);
    }
  };
  const done = run().catch((error: unknown) => {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
  });
  // `done` hands a failure on; to whoever does not look at it, it must not end the process.
  done.catch(() => {});
  return {
    done,
    stop: () => {
      stopped.abort();
      return done;
    },
  };
}

/** One slot after the other: what is due, else a new run. */
function simulation(options: SimulatorOptions & { readonly nowMs: () => number }): (slotMs: number) => void {
  const { api, profile, nowMs, namespace = 'default', seed = 1, keepFinished = 200, maxActive = 5000 } = options;
  const { onCondition = () => {} } = options;
  const stage = new Stage({ api, profile, namespace, nowMs, onCondition, random: seededRandom(seed) });
  const retire = retirement(stage, keepFinished);
  let [begun, ended] = [0, 0];
  const onEnd = (actors: readonly Actor[]) => {
    ended += 1;
    retire(actors);
  };
  return (slotMs) => {
    stage.elapsedMs += slotMs;
    const act = stage.agenda.take(stage.elapsedMs);
    if (act !== undefined) act();
    else if (begun - ended < maxActive) begin(stage, rootAt(begun++, stage.random), onEnd);
  };
}

function begin(stage: Stage, root: Root, onEnd: (actors: readonly Actor[]) => void): void {
  if (root.kind === 'PipelineRun') {
    playPipeline(stage, root.pipeline, root.fate, onEnd);
    return;
  }
  const { parkedAs, neverStarts } = root.life;
  const ref = root.kind === 'TaskRun' ? root.task : 'release-manager';
  const actor = stage.enter({ kind: root.kind, ref, stem: ref, specStatus: parkedAs, neverStarts });
  playLife(stage, actor, root.life, () => onEnd([actor]));
}

/** Deletes the oldest finished runs once there are more than may stay, one a slot. */
function retirement(stage: Stage, keepFinished: number): (actors: readonly Actor[]) => void {
  const finished: Actor[] = [];
  return (actors) => {
    finished.push(...actors);
    for (const actor of finished.splice(0, Math.max(0, finished.length - keepFinished))) {
      stage.agenda.add(stage.elapsedMs, () => stage.leave(actor));
    }
  };
}
