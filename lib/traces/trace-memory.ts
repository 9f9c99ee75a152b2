import type { SpanEvent } from './finished-span.ts';
import type { SpanContext } from './span-context.ts';

/** What traces could not remember; a closed set. */
const forgottenCauses = ['events-per-run', 'runs', 'pipelineruns'] as const;
type ForgottenCause = (typeof forgottenCauses)[number];

interface TraceMemoryOptions {
  /** Events kept for one unfinished run, the newest: 32 by default. */
  readonly maxEventsPerRun?: number;
  /** Unfinished runs with events: 20,000 by default, some 10 MB when all of them have five. */
  readonly maxRuns?: number;
  /** PipelineRuns that are part of somebody else's trace: 20,000 by default. */
  readonly maxPipelineRuns?: number;
  /** Called once for each thing that is not remembered because there is no room for it. */
  readonly onForgotten?: (cause: ForgottenCause) => void;
}

/** The events of one run so far, oldest first, and how many more there were. */
export interface History {
  readonly events: readonly SpanEvent[];
  readonly dropped: number;
}

/** The trace that a PipelineRun is part of, as its TaskRuns need to know it. */
type InheritedTrace = Pick<SpanContext, 'traceId' | 'sampled'>;

/** What has to be known of unfinished runs until they end. */
export interface TraceMemory {
  note(uid: string, event: SpanEvent): void;
  /** The run's events, which are forgotten by this. */
  takeHistory(uid: string): History;
  /** Remembers a trace that cannot be derived from the PipelineRun's uid. */
  rememberTrace(uid: string, trace: InheritedTrace): void;
  traceOf(uid: string): InheritedTrace | undefined;
  /** The run was deleted. */
  forget(uid: string): void;
  /** Runs that have events, and PipelineRuns whose trace is known. */
  readonly size: number;
}

/** An empty memory, bounded in every direction; what it cannot hold is told to `onForgotten`. */
export function createTraceMemory(options: TraceMemoryOptions = {}): TraceMemory {
  const { maxEventsPerRun = 32, maxRuns = 20_000, maxPipelineRuns = 20_000, onForgotten = () => {} } = options;
  const histories = new Map<string, { events: SpanEvent[]; dropped: number }>();
  const traces = new Map<string, InheritedTrace>();

  return {
    note(uid, event) {
      const history = histories.get(uid);
      if (history === undefined) {
        if (histories.size < maxRuns) histories.set(uid, { events: [event], dropped: 0 });
        else onForgotten('runs');
        return;
      }
      history.events.push(event);
      if (history.events.length <= maxEventsPerRun) return;
      history.events.shift();
      history.dropped += 1;
      onForgotten('events-per-run');
    },
    takeHistory(uid) {
      const history = histories.get(uid) ?? { events: [], dropped: 0 };
      histories.delete(uid);
      return history;
    },
    rememberTrace(uid, trace) {
      if (traces.has(uid) || traces.size < maxPipelineRuns) traces.set(uid, trace);
      else onForgotten('pipelineruns');
    },
    traceOf: (uid) => traces.get(uid),
    forget(uid) {
      histories.delete(uid);
      traces.delete(uid);
    },
    get size() {
      return histories.size + traces.size;
    },
  };
}
