import type { Observed } from '../run/run.ts';
import type { SpanContext } from '../traces/span-context.ts';

/** The span that an exemplar points to. */
export type ExemplarSpan = Pick<SpanContext, 'traceId' | 'spanId'>;

/** The span of a run; undefined where the run is not traced. */
export type SpanOf = (observed: Observed) => ExemplarSpan | undefined;

/** One observation that stands for a bucket: what was measured, when it was counted, and the span that tells why. */
export interface Exemplar extends ExemplarSpan {
  readonly value: number;
  /** Ms since the epoch. */
  readonly atMs: number;
}

/** The latest exemplar of each bucket, by its upper bound; Infinity is what lies above them all. */
export type Exemplars = ReadonlyMap<number, Exemplar>;

/**
 * What stands behind a bucket's number in OpenMetrics; never in text 0.0.4, which has no word for it.
 *
 * Names and values of its labels are 63 characters; OpenMetrics allows 128. The time is in seconds.
 */
export function formatExemplar({ traceId, spanId, value, atMs }: Exemplar): string {
  return ` # {trace_id="${traceId}",span_id="${spanId}"} ${value} ${atMs / 1000}`;
}
