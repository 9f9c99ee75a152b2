/** What a span or a span event may say beside its name and time. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Something that happened at one moment of a span. */
export interface SpanEvent {
  readonly name: string;
  /** Ms since the epoch. */
  readonly timeMs: number;
  readonly attributes: SpanAttributes;
}

/** How a span ended. A message only where something failed. */
export type SpanStatus =
  | { readonly code: 'unset' }
  | { readonly code: 'ok' }
  | { readonly code: 'error'; readonly message: string };

/** A span as plain data, ready to be sent. */
export interface FinishedSpan {
  /** 32 hex digits, lower case, never all 0. */
  readonly traceId: string;
  /** 16 hex digits, lower case, never all 0. */
  readonly spanId: string;
  /** undefined: the root of its trace. */
  readonly parentSpanId: string | undefined;
  /** The parent is a span that somebody else made. */
  readonly remoteParent: boolean;
  readonly name: string;
  /** Ms since the epoch; the end is never before the start. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: SpanAttributes;
  readonly events: readonly SpanEvent[];
  /** Events that happened and are not in `events`. */
  readonly droppedEvents: number;
  readonly status: SpanStatus;
}
