import type { Behaviour } from '../profile.ts';
import { isDone, sameCondition } from './condition.ts';
import { finishedOf } from './finished.ts';
import { owedEvents } from './owed-events.ts';
import { owedKubeEvents } from './owed-kube-events.ts';
import type { Observed, Run } from './run.ts';
import type { EventWord, Step } from './step.ts';
import { alsoTold, type Told, toldNothing } from './told.ts';

/** What is retained of a run, and what of it was told. */
export interface Known {
  readonly run: Run;
  readonly told: Told;
  /** Counted and timed: never again. */
  readonly counted: boolean;
}

/** A run's next state and the step that led there. */
export interface Observation {
  readonly known: Known;
  readonly step: Step;
}

const none: readonly never[] = [];
const silent = { events: none, kubeEvents: none, synthesized: false, finished: undefined };

/**
 * A version of a run against what was known of it.
 *
 * The step owes events only where the condition changed; it is there for every version, since gauges follow
 * them all.
 */
export function observe(before: Known | undefined, observed: Observed, behaviour: Behaviour): Observation {
  const after = observed.run;
  if (before !== undefined && isSilent(before, after)) return stay(before, observed);
  const told = before?.told ?? toldNothing;
  const events = owedEvents({ before: before?.run, after, told }, behaviour);
  const finished = before?.counted ? undefined : finishedOf(observed);
  return {
    known: { run: after, told: alsoTold(told, events), counted: before?.counted === true || isDone(after.condition) },
    step: {
      before: before?.run,
      after,
      observed,
      events,
      kubeEvents: owedKubeEvents({ before: before?.run, after, words: events }, behaviour),
      synthesized: false,
      finished,
    },
  };
}

/** Whether a version says nothing that its condition had not said before: six of ten do. */
function isSilent({ run, counted }: Known, after: Run): boolean {
  return sameCondition(run.condition, after.condition) && (counted || !isDone(after.condition));
}

function stay({ run: before, told, counted }: Known, observed: Observed): Observation {
  const after = observed.run;
  return {
    known: { run: after, told, counted },
    step: { before, after, observed, events: none, kubeEvents: none, synthesized: false, finished: undefined },
  };
}

/**
 * A run as it stood when we began to look: known, counted in the gauges, told to nobody.
 *
 * What it must have owed up to here counts as told, so that a run under way gets no late `started`.
 */
export function observeBaseline(before: Known | undefined, observed: Observed): Observation {
  const run = observed.run;
  return {
    known: { run, told: alsoTold(before?.told ?? toldNothing, impliedWords(run)), counted: isDone(run.condition) },
    step: { before: before?.run, after: run, observed, ...silent },
  };
}

/**
 * A run found in a list after history was lost: its present state is owed when it changed later than `sinceMs`,
 * marked as synthesized; otherwise it was told before.
 */
export function observeRecovered(
  before: Known | undefined,
  observed: Observed,
  { behaviour, sinceMs }: { readonly behaviour: Behaviour; readonly sinceMs: number },
): Observation {
  const changedMs = observed.run.condition?.transitionTimeMs ?? 0;
  if (changedMs <= sinceMs) return observeBaseline(before, observed);
  const { known, step } = observe(before, observed, behaviour);
  return { known, step: { ...step, synthesized: true } };
}

/**
 * A version up to which everything was told already, in a former life of this process: it owes nothing, and is counted
 * only where `told` says that it was not.
 */
export function observeTold(before: Known | undefined, told: Known, observed: Observed): Observation {
  const run = observed.run;
  const counted = told.counted || before?.counted === true;
  return {
    known: { run, told: told.told, counted: counted || isDone(run.condition) },
    step: {
      before: before?.run,
      after: run,
      observed,
      ...silent,
      finished: counted ? undefined : finishedOf(observed),
    },
  };
}

/** A run as a former life of this process knew it: the step that takes it into every gauge. */
export function recall(before: Known | undefined, { run }: Known): Step {
  return { before: before?.run, after: run, observed: undefined, ...silent };
}

function impliedWords({ kind, condition, parked }: Run): readonly EventWord[] {
  if (condition === undefined) return kind === 'CustomRun' ? ['started'] : ['queued'];
  if (condition.status === 'Unknown' && parked) return ['queued'];
  const words: readonly EventWord[] = ['queued', 'started'];
  if (condition.status === 'True') return [...words, 'running', 'successful'];
  if (condition.status === 'False') return [...words, 'running', 'failed'];
  return condition.reason === 'Running' ? [...words, 'running'] : words;
}

/** The run is gone: the step that takes it out of every gauge. It owes nothing. */
export function forget({ run }: Known): Step {
  return { before: run, after: undefined, observed: undefined, ...silent };
}
