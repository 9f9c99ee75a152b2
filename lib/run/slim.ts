import type { Condition } from './condition.ts';
import type { Observed, Run } from './run.ts';

/** The one copy of a string that many runs carry. */
type Intern = (text: string) => string;

/** Distinct strings remembered: namespaces, tasks, reasons, messages; about 1 MB of them. */
const defaultLimit = 10_000;

/**
 * Gives the first copy of each string it is given, for as long as it remembers it.
 *
 * Full, it forgets all and begins again: a string that nobody repeats must not keep out those that come back. `onNew`
 * is called for each string that it begins to remember.
 */
export function createIntern(limit = defaultLimit, onNew: (text: string) => void = () => {}): Intern {
  let known = new Map<string, string>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size >= limit) known = new Map();
    known.set(text, text);
    onNew(text);
    return text;
  };
}

/**
 * The same run in less memory: what it shares with its version before, and with other runs, is held once.
 *
 * 930 -> 500 B for a run that executes, measured with `npm run bench -- --only memory`.
 */
export function slim(run: Run, before: Run | undefined, intern: Intern): Run {
  const { kind, resourceVersion, oddStatus, parked, inPipeline } = run;
  return {
    kind,
    uid: before?.uid ?? run.uid,
    namespace: intern(run.namespace),
    name: before?.name === run.name ? before.name : run.name,
    resourceVersion,
    condition: slimCondition(run.condition, before?.condition, intern),
    oddStatus,
    parked,
    task: intern(run.task),
    pipeline: intern(run.pipeline),
    pipelineRun: before?.pipelineRun === run.pipelineRun ? before.pipelineRun : run.pipelineRun,
    inPipeline,
  };
}

function slimCondition(
  condition: Condition | undefined,
  before: Condition | undefined,
  intern: Intern,
): Condition | undefined {
  if (condition === undefined) return undefined;
  const { status, reason, message, transitionTimeMs } = condition;
  const same = before?.status === status && before.reason === reason && before.message === message;
  if (same && before.transitionTimeMs === transitionTimeMs) return before;
  return { status: statuses[status], reason: intern(reason), message: intern(message), transitionTimeMs };
}

// A parsed status is a copy of its own.
const statuses = { True: 'True', False: 'False', Unknown: 'Unknown' } as const;

/** What was observed, its run slimmed; the object is read through, not touched. */
export function slimObserved(observed: Observed, before: Run | undefined, intern: Intern): Observed {
  return new Slimmed(observed, slim(observed.run, before, intern));
}

// A class: an object literal with a getter is made ten times as slowly.
class Slimmed implements Observed {
  readonly run: Run;
  readonly #observed: Observed;

  constructor(observed: Observed, run: Run) {
    this.run = run;
    this.#observed = observed;
  }

  get type() {
    return this.#observed.type;
  }

  get resource() {
    return this.#observed.resource;
  }

  get outline() {
    return this.#observed.outline;
  }
}
