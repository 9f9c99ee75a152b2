import { type Condition, isDone, sameCondition } from '../run/condition.ts';
import type { Observed } from '../run/run.ts';
import type { Step } from '../run/step.ts';
import type { FinishedSpan, SpanEvent } from './finished-span.ts';
import { type Place, placeOf } from './place-of.ts';
import { runSpan } from './run-span.ts';
import { stepSpans } from './step-spans.ts';
import type { TraceMemory } from './trace-memory.ts';
import type { TraceOptions } from './trace-options.ts';

/**
 * The spans that a step finishes: none while the run goes on, then the run's own and one for each of its steps.
 *
 * To be called for every step, baseline and deletions too: `memory` holds what happened to unfinished runs, and lets
 * go of a run at its end or its deletion. A run that was over when we began to look has no span.
 */
export function spansOf(step: Step, memory: TraceMemory, options: TraceOptions): FinishedSpan[] {
  const { before, after, observed } = step;
  if (after === undefined || observed === undefined) {
    if (before !== undefined) memory.forget(before.uid);
    return [];
  }
  const { uid, condition } = after;
  const ends = endsHere(step);
  if (!ends && before !== undefined && sameCondition(before.condition, condition)) return [];
  const place = placeOf(observed, memory, options);
  rememberTrace(observed, place, memory);
  // The rate may have been lowered since the run began.
  if (!place.sampled || (isDone(condition) && !ends)) memory.takeHistory(uid);
  else note(uid, condition, memory);
  return ends && place.sampled ? finish(observed, place, memory, options) : [];
}

/** A CustomRun is not counted, so that only the event it owes says that it is over for the first time. */
function endsHere({ after, finished, events }: Step): boolean {
  if (after?.kind !== 'CustomRun') return finished !== undefined;
  return events.includes('successful') || events.includes('failed');
}

/** TaskRuns that end after their PipelineRun did still find its trace: it stays until the deletion. */
function rememberTrace({ run }: Observed, place: Place, memory: TraceMemory): void {
  if (run.kind !== 'PipelineRun' || place.derived || isDone(run.condition)) return;
  memory.rememberTrace(run.uid, { traceId: place.traceId, sampled: place.sampled });
}

function note(uid: string, condition: Condition | undefined, memory: TraceMemory): void {
  if (condition?.transitionTimeMs !== undefined) memory.note(uid, eventOf(condition, condition.transitionTimeMs));
}

/** Characters of a message that a span event keeps: enough for a sentence, and memory stays bounded. */
const maxMessage = 256;

function eventOf({ status, reason, message }: Condition, timeMs: number): SpanEvent {
  const said = message === '' ? {} : { 'condition.message': message.slice(0, maxMessage) };
  return {
    name: reason || status,
    timeMs,
    attributes: { 'condition.status': status, 'condition.reason': reason, ...said },
  };
}

function finish(observed: Observed, place: Place, memory: TraceMemory, options: TraceOptions): FinishedSpan[] {
  const span = runSpan(observed, place, memory.takeHistory(observed.run.uid), options);
  return span === undefined ? [] : [span, ...stepSpans(observed, place, options)];
}
