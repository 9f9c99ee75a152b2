/** Where a span stands: its trace, itself, and whether the trace is kept. */
export interface SpanContext {
  /** 32 hex digits, lower case, never all 0. */
  readonly traceId: string;
  /** 16 hex digits, lower case, never all 0. */
  readonly spanId: string;
  readonly sampled: boolean;
}

// W3C Trace Context, section 3.2: version ff is invalid, and a later version may go on after the flags.
const header = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const zeros = /^0+$/;

/** What a `traceparent` says; undefined when it is none. */
export function readTraceparent(text: string): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = header.exec(text.trim()) ?? [];
  if (version === undefined || (version === '00' && more !== undefined)) return undefined;
  if (zeros.test(traceId) || zeros.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The context as a `traceparent` of version 00. */
export function formatTraceparent({ traceId, spanId, sampled }: SpanContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}
