import {
  type Attributes,
  type SpanContext,
  SpanKind,
  type SpanStatus,
  SpanStatusCode,
  TraceFlags,
} from '@opentelemetry/api';
import { hrTimeDuration, millisToHrTime } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { FinishedSpan } from '../../traces/finished-span.ts';

const codes = { unset: SpanStatusCode.UNSET, ok: SpanStatusCode.OK, error: SpanStatusCode.ERROR } as const;

/** Who says it. The exporters group by identity: the same resource for all spans of an exporter. */
interface ReadableSource {
  readonly resource: Resource;
  readonly scope: { readonly name: string; readonly version: string };
}

/** A plain span as OpenTelemetry's exporters take it. */
export function readableSpan(span: FinishedSpan, { resource, scope }: ReadableSource): ReadableSpan {
  const startTime = millisToHrTime(span.startMs);
  const endTime = millisToHrTime(span.endMs);
  const context = contextOf(span, span.spanId);
  return {
    name: span.name,
    kind: SpanKind.INTERNAL,
    spanContext: () => context,
    ...parentOf(span),
    startTime,
    endTime,
    duration: hrTimeDuration(startTime, endTime),
    status: statusOf(span),
    attributes: { ...span.attributes },
    links: [],
    events: span.events.map(({ name, timeMs, attributes }) => ({
      name,
      time: millisToHrTime(timeMs),
      attributes: { ...attributes } satisfies Attributes,
    })),
    ended: true,
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: span.droppedEvents,
    droppedLinksCount: 0,
  };
}

function contextOf({ traceId }: FinishedSpan, spanId: string): SpanContext {
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
}

function parentOf(span: FinishedSpan): { parentSpanContext?: SpanContext } {
  if (span.parentSpanId === undefined) return {};
  return { parentSpanContext: { ...contextOf(span, span.parentSpanId), isRemote: span.remoteParent } };
}

function statusOf({ status }: FinishedSpan): SpanStatus {
  return { code: codes[status.code], ...(status.code === 'error' ? { message: status.message } : {}) };
}
