import type { FinishedSpan } from '../../lib/traces/finished-span.ts';

/** A span that says as little as it may. */
export function span(given: Partial<FinishedSpan> = {}): FinishedSpan {
  return {
    traceId: '0123456789abcdef0123456789abcdef',
    spanId: '0123456789abcdef',
    parentSpanId: undefined,
    remoteParent: false,
    name: 'build',
    startMs: Date.parse('2026-01-01T00:00:00Z'),
    endMs: Date.parse('2026-01-01T00:00:05Z'),
    attributes: {},
    events: [],
    droppedEvents: 0,
    status: { code: 'unset' },
    ...given,
  };
}
