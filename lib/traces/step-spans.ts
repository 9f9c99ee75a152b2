import { field, text, timeMs } from '../run/fields.ts';
import type { Observed } from '../run/run.ts';
import type { FinishedSpan, SpanAttributes, SpanStatus } from './finished-span.ts';
import { spanIdOf } from './ids.ts';
import type { Place } from './place-of.ts';
import type { TraceOptions } from './trace-options.ts';

/** More than a pod can have: a status that claims more is cut off here. */
const maxSteps = 256;

/** A span for each step that the TaskRun's status tells start and end of, under the TaskRun's, in their order. */
export function stepSpans({ run, resource }: Observed, place: Place, { hash }: TraceOptions): FinishedSpan[] {
  const steps = field(field(resource, 'status'), 'steps');
  if (run.kind !== 'TaskRun' || !Array.isArray(steps)) return [];
  return steps.slice(0, maxSteps).flatMap((step: unknown, index) => {
    const terminated = field(step, 'terminated');
    const startMs = timeMs(terminated, 'startedAt');
    const endMs = timeMs(terminated, 'finishedAt');
    if (startMs === undefined || endMs === undefined) return [];
    const name = text(step, 'name') || `step ${index + 1}`;
    return {
      traceId: place.traceId,
      spanId: spanIdOf(run.uid, hash, name),
      parentSpanId: place.spanId,
      remoteParent: false,
      name,
      startMs,
      endMs: Math.max(startMs, endMs),
      attributes: attributesOf(step, name),
      events: [],
      droppedEvents: 0,
      status: statusOf(terminated),
    };
  });
}

function attributesOf(step: unknown, name: string): SpanAttributes {
  const exitCode = exitCodeOf(field(step, 'terminated'));
  const container = text(step, 'container');
  const reason = text(step, 'terminationReason') || text(step, 'terminated', 'reason');
  return {
    'step.name': name,
    ...(exitCode === undefined ? {} : { 'process.exit.code': exitCode }),
    ...(container === '' ? {} : { 'k8s.container.name': container }),
    ...(reason === '' ? {} : { 'step.reason': reason }),
  };
}

function statusOf(terminated: unknown): SpanStatus {
  const exitCode = exitCodeOf(terminated) ?? 0;
  if (exitCode === 0) return { code: 'ok' };
  const reason = text(terminated, 'reason');
  return { code: 'error', message: reason === '' ? `exit code ${exitCode}` : `exit code ${exitCode} (${reason})` };
}

function exitCodeOf(terminated: unknown): number | undefined {
  const exitCode = field(terminated, 'exitCode');
  return typeof exitCode === 'number' ? exitCode : undefined;
}
