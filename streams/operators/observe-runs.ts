import { Observable, type OperatorFunction } from 'rxjs';
import { compareVersions } from '../../lib/kube/version.ts';
import type { WatchEvent } from '../../lib/kube/watch-event.ts';
import { worthKeeping } from '../../lib/outbox/worth-keeping.ts';
import type { Behaviour } from '../../lib/profile.ts';
import { timeMs } from '../../lib/run/fields.ts';
import {
  forget,
  type Known,
  type Observation,
  observe,
  observeBaseline,
  observeRecovered,
  observeTold,
  recall,
} from '../../lib/run/observe.ts';
import type { Observed } from '../../lib/run/run.ts';
import { createIntern, slimObserved } from '../../lib/run/slim.ts';
import type { Step } from '../../lib/run/step.ts';
import { timesOf } from '../../lib/run/times.ts';
import { toldNothing } from '../../lib/run/told.ts';

/** What became of one watched kind: steps of its runs, and how far the watch has come. */
export type RunNote =
  /** `reached`: the version that the watch has come to; undefined within a list, whose objects are in no order. */
  | {
      readonly type: 'step';
      readonly step: Step;
      readonly reached: string | undefined;
      /** With a told table: what is known of the run from now on, where that differs from what was. */
      readonly known?: Known;
    }
  /** Everything up to this version was observed. `listed` ends a list, `reached` is a bookmark. */
  | { readonly type: 'listed' | 'reached'; readonly resourceVersion: string }
  | { readonly type: 'absent' };

interface Options {
  readonly behaviour: Behaviour;
  /**
   * When this controller began to look, ms since the epoch. A kind that the server did not have then may appear
   * later: of its first list only runs created before this are baseline.
   */
  readonly sinceMs: number;
  /** What a checkpoint says; undefined: there is none. */
  readonly resume?: Resume | undefined;
  /**
   * For a controller that keeps a told table: what was told of every run that existed, by uid; undefined where the
   * table is not complete. Asked at subscription. With it, a list after a loss is a plain difference.
   */
  readonly known?: (() => Iterable<readonly [string, Known]> | undefined) | undefined;
}

/** What was told and counted before this process began. */
export interface Resume {
  /** The version that the watch had come to. */
  readonly reached?: string | undefined;
  /** Runs that ended up to this version are in somebody's scrape already: told again, not counted again. */
  readonly countedTo: string | undefined;
  /** The greatest transition time seen, ms since the epoch: the one clock that we and the past share. */
  readonly greatestTransitionMs: number;
}

/** How far before the greatest transition seen a change may lie and still be news after a loss: clocks of different writers differ. */
const recoverMarginMs = 600_000;

/**
 * Turns what a watch says into steps: each version of each run against the one before.
 *
 * The first list is baseline: it owes nothing. A later list is a difference: what vanished is forgotten, what
 * changed is one step, what did not is silent. A kind that goes absent keeps its runs until a list says otherwise,
 * since an API server that restarts may answer 404 before it has read its CRDs.
 *
 * Memory is one `Known` a run that exists, begun at subscription, freed when the run is deleted. Errors and
 * completion pass through.
 */
export function observeRuns(options: Options): OperatorFunction<WatchEvent<Observed>, RunNote> {
  return (event$) =>
    new Observable((subscriber) => {
      const state = createState(options);
      return event$.subscribe({
        next: (event) => {
          for (const note of state.notesOf(event)) subscriber.next(note);
        },
        error: (error) => subscriber.error(error),
        complete: () => subscriber.complete(),
      });
    });
}

function synthesized({ known, step }: Observation): Observation {
  return { known, step: { ...step, synthesized: true } };
}

function createState({ behaviour, sinceMs, resume, known: table }: Options) {
  const known = new Map<string, Known>();
  const intern = createIntern();
  const from = table?.();
  /** What a former life told, until the watch has passed it; undefined: nobody knows. */
  let told = from && new Map(from);
  /** The uids of the list under way; undefined between lists. */
  let seen: Set<string> | undefined;
  let synced = false;
  let wasAbsent = false;
  let at: 'present' | 'mark' | 'after-loss' = 'present';
  /** The version that the watch has come to. */
  let reachedVersion = resume?.reached ?? '';
  let countedTo = resume?.countedTo;

  const isBaseline = (observed: Observed): boolean => {
    if (at === 'mark' || !wasAbsent) return true;
    return (timeMs(timesOf(observed), 'creationTimestamp') ?? 0) < sinceMs;
  };

  const firstSight = (before: Known | undefined, observed: Observed): Observation => {
    if (at === 'after-loss' && told !== undefined) return synthesized(observe(before, observed, behaviour));
    if (at === 'after-loss' && resume !== undefined) {
      return observeRecovered(before, observed, { behaviour, sinceMs: resume.greatestTransitionMs - recoverMarginMs });
    }
    return isBaseline(observed) ? observeBaseline(before, observed) : observe(before, observed, behaviour);
  };

  const counted = ({ known: after, step }: Observation): Observation => {
    const version = after.run.resourceVersion;
    const before = countedTo !== undefined && compareVersions(version, countedTo) <= 0;
    return before && step.finished !== undefined
      ? { known: after, step: { ...step, finished: undefined } }
      : { known: after, step };
  };

  const applied = (given: Observed): RunNote[] => {
    const { uid, resourceVersion } = given.run;
    const before = known.get(uid);
    seen?.add(before?.run.uid ?? uid);
    if (before?.run.resourceVersion === resourceVersion) return [];
    const observed = slimObserved(given, before?.run, intern);
    if (isSeenAgain(before, resourceVersion)) return [take(before, observeSeen(before, observed))];
    const reached = seen === undefined ? resourceVersion : undefined;
    reachedVersion = reached ?? reachedVersion;
    const former = told?.get(uid);
    if (former === undefined) return [take(before, judge(before, observed), reached)];
    const order = compareVersions(resourceVersion, former.run.resourceVersion);
    if (order >= 0) told?.delete(uid);
    if (order > 0) return [entered(before, former), take(former, judge(former, observed), reached)];
    const { known: after, step } = counted(observeTold(before, former, observed));
    known.set(uid, after);
    return [{ type: 'step', step, reached }];
  };

  /** In the list of a server that was put back: what had come by then was told, whatever came after it was undone. */
  const isSeenAgain = (before: Known | undefined, version: string): boolean => {
    if (!synced || seen === undefined) return false;
    if (at === 'mark') return compareVersions(version, reachedVersion) <= 0;
    return before !== undefined && compareVersions(version, before.run.resourceVersion) < 0;
  };

  const observeSeen = (before: Known | undefined, observed: Observed): Observation =>
    observeBaseline(before && { ...before, told: toldNothing }, observed);

  const judge = (before: Known | undefined, observed: Observed): Observation =>
    counted(synced ? observe(before, observed, behaviour) : firstSight(before, observed));

  const take = (before: Known | undefined, { known: after, step }: Observation, reached?: string): RunNote => {
    known.set(after.run.uid, after);
    const note = { type: 'step', step, reached } as const;
    return table !== undefined && worthKeeping(before, after) ? { ...note, known: after } : note;
  };

  const entered = (before: Known | undefined, former: Known): RunNote => ({
    type: 'step',
    step: recall(before, former),
    reached: undefined,
  });

  const gone = (uid: string, reached?: string): RunNote[] => {
    const before = known.get(uid);
    const former = told?.get(uid);
    const last = before ?? former;
    if (last === undefined) return [];
    known.delete(uid);
    told?.delete(uid);
    const note: RunNote = { type: 'step', step: forget(last), reached };
    return before === undefined ? [entered(undefined, last), note] : [note];
  };

  /** Told before the version of this list, and not in it. What was told of later is still to come in the watch. */
  const toldAndGone = (resourceVersion: string): string[] =>
    [...(told ?? [])]
      .filter(([, { run }]) => compareVersions(run.resourceVersion, resourceVersion) <= 0)
      .map(([uid]) => uid);

  const listed = (resourceVersion: string): RunNote[] => {
    const vanished = [...known.keys(), ...toldAndGone(resourceVersion)].filter((uid) => !seen?.has(uid));
    seen = undefined;
    // The list of a server that was put back: its versions mean other things now.
    if (compareVersions(resourceVersion, reachedVersion) < 0) [countedTo, told] = [undefined, undefined];
    reachedVersion = resourceVersion;
    synced = true;
    return [...vanished.flatMap((uid) => gone(uid)), { type: 'listed', resourceVersion }];
  };

  const notesOf = (event: WatchEvent<Observed>): RunNote[] => {
    switch (event.type) {
      case 'relisting':
        seen = new Set();
        at = event.at;
        // The past counts as none: what was told in it says nothing.
        if (!synced && at === 'present') told = undefined;
        return [];
      case 'applied':
        return applied(event.object);
      case 'deleted':
        reachedVersion = event.object.run.resourceVersion;
        return gone(event.object.run.uid, event.object.run.resourceVersion);
      case 'listed':
        return listed(event.resourceVersion);
      case 'bookmark':
        reachedVersion = event.resourceVersion;
        return [{ type: 'reached', resourceVersion: event.resourceVersion }];
      case 'absent':
        wasAbsent = true;
        return [{ type: 'absent' }];
    }
  };
  return { notesOf };
}
