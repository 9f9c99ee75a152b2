import { Observable, type OperatorFunction } from 'rxjs';
import type { WatchEvent } from '../../lib/kube/watch-event.ts';
import type { Behaviour } from '../../lib/profile.ts';
import { timeMs } from '../../lib/run/fields.ts';
import { forget, type Known, type Observation, observe, observeBaseline } from '../../lib/run/observe.ts';
import type { Observed } from '../../lib/run/run.ts';
import type { Step } from '../../lib/run/step.ts';

/** What became of one watched kind: steps of its runs, and how far the watch has come. */
export type RunNote =
  | { readonly type: 'step'; readonly step: Step }
  /** Everything up to this version was observed. `listed` ends a list, `reached` is a bookmark. */
  | { readonly type: 'listed' | 'reached'; readonly resourceVersion: string; readonly retained: number }
  | { readonly type: 'absent' };

interface Options {
  readonly behaviour: Behaviour;
  /**
   * When this controller began to look, ms since the epoch. A kind that the server did not have then may appear
   * later: of its first list only runs created before this are baseline.
   */
  readonly sinceMs: number;
}

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

function createState({ behaviour, sinceMs }: Options) {
  const known = new Map<string, Known>();
  /** The uids of the list under way; undefined between lists. */
  let seen: Set<string> | undefined;
  let synced = false;
  let wasAbsent = false;
  let atMark = false;

  const isBaseline = ({ resource }: Observed): boolean => {
    if (synced) return false;
    const createdMs = timeMs(resource, 'metadata', 'creationTimestamp') ?? 0;
    return atMark || !wasAbsent || createdMs < sinceMs;
  };

  const applied = (observed: Observed): RunNote[] => {
    const { uid, resourceVersion } = observed.run;
    seen?.add(uid);
    const before = known.get(uid);
    if (before?.run.resourceVersion === resourceVersion) return [];
    const observation: Observation = isBaseline(observed)
      ? observeBaseline(before, observed)
      : observe(before, observed, behaviour);
    known.set(uid, observation.known);
    return [{ type: 'step', step: observation.step }];
  };

  const gone = (uid: string): RunNote[] => {
    const before = known.get(uid);
    if (before === undefined) return [];
    known.delete(uid);
    return [{ type: 'step', step: forget(before) }];
  };

  const listed = (resourceVersion: string): RunNote[] => {
    const vanished = [...known.keys()].filter((uid) => !seen?.has(uid));
    seen = undefined;
    synced = true;
    return [...vanished.flatMap(gone), { type: 'listed', resourceVersion, retained: known.size }];
  };

  const notesOf = (event: WatchEvent<Observed>): RunNote[] => {
    switch (event.type) {
      case 'relisting':
        seen = new Set();
        atMark = event.at === 'mark';
        return [];
      case 'applied':
        return applied(event.object);
      case 'deleted':
        return gone(event.object.run.uid);
      case 'listed':
        return listed(event.resourceVersion);
      case 'bookmark':
        return [{ type: 'reached', resourceVersion: event.resourceVersion, retained: known.size }];
      case 'absent':
        wasAbsent = true;
        return [{ type: 'absent' }];
    }
  };
  return { notesOf };
}
