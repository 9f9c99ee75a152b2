import { field, text } from '../run/fields.ts';
import type { Observed, Resource } from '../run/run.ts';
import { spanIdOf, traceIdOf } from './ids.ts';
import { isSampled } from './is-sampled.ts';
import { readTraceparent, type SpanContext } from './span-context.ts';
import type { TraceMemory } from './trace-memory.ts';
import type { TraceOptions } from './trace-options.ts';

/** A run's place in a trace. */
export interface Place extends SpanContext {
  /** undefined: the run is the root of its trace. */
  readonly parentSpanId: string | undefined;
  /** The parent is a span that somebody else made. */
  readonly remoteParent: boolean;
  /** The trace follows from the run's own uid. */
  readonly derived: boolean;
}

type Parent = Omit<Place, 'spanId'>;

/**
 * Where a run stands: under the `traceparent` that it carries, else under the PipelineRun that owns it, else alone.
 *
 * The caller of a `traceparent` has decided about sampling; everywhere else the rate decides. The owner's trace is
 * known from memory, from the annotation where it was handed down, else from the owner's uid.
 */
export function placeOf(observed: Observed, memory: Pick<TraceMemory, 'traceOf'>, options: TraceOptions): Place {
  const { uid } = observed.run;
  const parent = carried(observed, options) ?? owned(observed, memory, options) ?? alone(uid, options);
  return { ...parent, spanId: spanIdOf(uid, options.hash) };
}

function carried({ run, resource }: Observed, { profile }: TraceOptions): Parent | undefined {
  const { pipelineRunSpanContext, taskRunSpanContext } = profile.annotations;
  const keys = { PipelineRun: pipelineRunSpanContext, TaskRun: taskRunSpanContext, CustomRun: undefined };
  const context = annotated(resource, keys[run.kind]);
  if (context === undefined) return undefined;
  const { traceId, spanId, sampled } = context;
  return { traceId, sampled, parentSpanId: spanId, remoteParent: true, derived: false };
}

function owned(
  { resource }: Observed,
  memory: Pick<TraceMemory, 'traceOf'>,
  options: TraceOptions,
): Parent | undefined {
  const { profile, hash, samplingRate } = options;
  const uid = ownerOf(resource, profile.apiGroup);
  if (uid === '') return undefined;
  const known = memory.traceOf(uid) ?? annotated(resource, profile.annotations.pipelineRunSpanContext);
  const traceId = known?.traceId ?? traceIdOf(uid, hash);
  const sampled = known?.sampled ?? isSampled(traceId, samplingRate);
  return { traceId, sampled, parentSpanId: spanIdOf(uid, hash), remoteParent: false, derived: false };
}

function alone(uid: string, { hash, samplingRate }: TraceOptions): Parent {
  const traceId = traceIdOf(uid, hash);
  const sampled = isSampled(traceId, samplingRate);
  return { traceId, sampled, parentSpanId: undefined, remoteParent: false, derived: true };
}

/** The uid of the PipelineRun that owns the run, '' where none does. */
function ownerOf(resource: Resource, apiGroup: string): string {
  const owners = field(field(resource, 'metadata'), 'ownerReferences');
  if (!Array.isArray(owners)) return '';
  const isOurs = (one: unknown) =>
    text(one, 'kind') === 'PipelineRun' && text(one, 'apiVersion').startsWith(`${apiGroup}/`);
  return text(owners.find(isOurs), 'uid');
}

function annotated(resource: Resource, key: string | undefined): SpanContext | undefined {
  if (key === undefined) return undefined;
  const json = text(resource, 'metadata', 'annotations', key);
  return json === '' ? undefined : readTraceparent(text(parsed(json), 'traceparent'));
}

/** Anyone may write an annotation; what is no JSON carries nothing. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
