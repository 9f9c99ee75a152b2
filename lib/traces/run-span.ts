import { field, text, timeMs } from '../run/fields.ts';
import type { Observed } from '../run/run.ts';
import type { FinishedSpan, SpanAttributes, SpanStatus } from './finished-span.ts';
import type { Place } from './place-of.ts';
import type { History } from './trace-memory.ts';
import type { TraceOptions } from './trace-options.ts';

const anonymous = 'anonymous';

/**
 * The span of a finished run: from its start to its completion, as its status tells them.
 *
 * Without a completionTime it ends with its condition; without a startTime (it never started) it has no length.
 * Undefined when the status tells no time at all.
 */
export function runSpan(
  observed: Observed,
  place: Place,
  history: History,
  options: TraceOptions,
): FinishedSpan | undefined {
  const { run, resource } = observed;
  const endMs = timeMs(resource, 'status', 'completionTime') ?? run.condition?.transitionTimeMs;
  const startMs = timeMs(resource, 'status', 'startTime') ?? endMs;
  if (startMs === undefined) return undefined;
  const { traceId, spanId, parentSpanId, remoteParent } = place;
  return {
    traceId,
    spanId,
    parentSpanId,
    remoteParent,
    name: nameOf(observed, options),
    startMs,
    endMs: Math.max(startMs, endMs ?? startMs),
    attributes: attributesOf(observed, options),
    events: history.events,
    droppedEvents: history.dropped,
    status: statusOf(observed),
  };
}

/** What was run rather than the run itself: names of spans are grouped by. */
function nameOf(observed: Observed, options: TraceOptions): string {
  const named = subjectOf(observed, options);
  return named === '' || named === anonymous ? observed.run.name : named;
}

function subjectOf({ run, resource }: Observed, { profile }: TraceOptions): string {
  if (run.kind === 'PipelineRun') return run.pipeline;
  const labels = field(field(resource, 'metadata'), 'labels');
  return text(labels, profile.labels.pipelineTask) || run.task;
}

/** How each kind is named by OpenTelemetry's semantic conventions for CI/CD. */
const conventions = {
  PipelineRun: { subject: 'cicd.pipeline.name', id: 'cicd.pipeline.run.id', result: 'cicd.pipeline.result' },
  TaskRun: {
    subject: 'cicd.pipeline.task.name',
    id: 'cicd.pipeline.task.run.id',
    result: 'cicd.pipeline.task.run.result',
  },
  CustomRun: {
    subject: 'cicd.pipeline.task.name',
    id: 'cicd.pipeline.task.run.id',
    result: 'cicd.pipeline.task.run.result',
  },
} as const;

function attributesOf(observed: Observed, options: TraceOptions): SpanAttributes {
  const { run, resource } = observed;
  const { subject, id, result } = conventions[run.kind];
  const podName = text(resource, 'status', 'podName');
  return {
    'run.kind': run.kind,
    'run.name': run.name,
    'run.reason': run.condition?.reason ?? '',
    'k8s.namespace.name': run.namespace,
    [subject]: nameOf(observed, options),
    [id]: run.uid,
    [result]: resultOf(observed),
    ...(run.inPipeline ? { 'cicd.pipeline.name': run.pipeline } : {}),
    ...(podName === '' ? {} : { 'k8s.pod.name': podName }),
  };
}

/** The first row whose reason fits names the result of a run that did not succeed; `failure` where none does. */
const results: readonly { readonly reason: RegExp; readonly result: string }[] = [
  { reason: /^(TaskRun|PipelineRun|CustomRun)?Time(d)?Out$/i, result: 'timeout' },
  { reason: /^(TaskRun|PipelineRun|CustomRun)?Cancelled$/, result: 'cancellation' },
];

function resultOf({ run }: Observed): string {
  if (run.condition?.status === 'True') return 'success';
  const reason = run.condition?.reason ?? '';
  return results.find((row) => row.reason.test(reason))?.result ?? 'failure';
}

function statusOf({ run: { condition } }: Observed): SpanStatus {
  if (condition?.status !== 'False') return { code: 'ok' };
  return { code: 'error', message: condition.message || condition.reason };
}
