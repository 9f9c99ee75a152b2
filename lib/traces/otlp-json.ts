import type { FinishedSpan, SpanAttributes, SpanEvent } from './finished-span.ts';

/** Who says it: what stands around the spans of one batch. */
interface SpanSource {
  readonly resource: SpanAttributes;
  readonly scope: { readonly name: string; readonly version: string };
}

/** `SPAN_KIND_INTERNAL`, and the status codes, by OTLP's numbers. */
const internal = 1;
const codes = { unset: 0, ok: 1, error: 2 } as const;

/** The spans as OTLP's JSON has them (`ExportTraceServiceRequest`): ids in hex, times as strings of nanoseconds. */
export function otlpJson(spans: readonly FinishedSpan[], { resource, scope }: SpanSource): object {
  const scopeSpans = [{ scope, spans: spans.map(spanJson) }];
  return { resourceSpans: [{ resource: { attributes: attributesJson(resource) }, scopeSpans }] };
}

function spanJson(span: FinishedSpan): object {
  const { traceId, spanId, parentSpanId, name, startMs, endMs, attributes, events, droppedEvents, status } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: internal,
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: attributesJson(attributes),
    events: events.map(eventJson),
    droppedEventsCount: droppedEvents,
    status: { code: codes[status.code], ...(status.code === 'error' ? { message: status.message } : {}) },
  };
}

function eventJson({ name, timeMs, attributes }: SpanEvent): object {
  return { timeUnixNano: nanoseconds(timeMs), name, attributes: attributesJson(attributes) };
}

/** A number could not hold it. */
function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms)) * 1_000_000n);
}

function attributesJson(attributes: SpanAttributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueJson(value) }));
}

function valueJson(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
