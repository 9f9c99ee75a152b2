import { type BackoffPolicy, backoffDelay, noFailures, withFailure } from '../../backoff.ts';
import type { FinishedSpan } from '../../traces/finished-span.ts';
import type { ExportResult } from './target.ts';

/** Why a span was never sent; a closed set. */
type SpanDropCause = 'queue-full' | 'refused' | 'shutdown';

export interface SpanQueueOptions {
  /** One attempt; never rejects. */
  readonly send: (batch: readonly FinishedSpan[]) => Promise<ExportResult>;
  readonly onDropped: (cause: SpanDropCause, spans: number) => void;
  /** Spans that may wait, those under way included: 8192 by default, some 10 MB. The oldest go first. */
  readonly limit?: number;
  /** Spans in one request: 512 by default. */
  readonly batchSize?: number;
  /** How long spans wait for company: 1000 ms by default. */
  readonly delayMs?: number;
  readonly backoff?: BackoffPolicy;
  /** Milliseconds on a clock that goes forward. */
  readonly now?: () => number;
  readonly random?: () => number;
}

/** Spans on their way out. */
interface SpanQueue {
  add(spans: readonly FinishedSpan[]): void;
  /** One attempt for everything that waits, whatever the back-off says. */
  flush(): Promise<void>;
  /** Takes no more; what waits or is still under way is dropped and counted. */
  close(): void;
  /** Spans that wait or are under way. */
  readonly size: number;
}

/** An hour of silence costs 120 attempts. */
const spanBackoff: BackoffPolicy = { initialMs: 1000, maxMs: 30_000, factor: 2, resetAfterMs: 120_000 };

/**
 * Spans in batches, one batch under way at a time, oldest first.
 *
 * A batch that may go well later is kept and tried again with growing delays; one that was refused is dropped. Every
 * span that is not sent is told to `onDropped`.
 */
export function createSpanQueue(options: SpanQueueOptions): SpanQueue {
  const { send, onDropped, limit = 8192, batchSize = 512, delayMs = 1000 } = options;
  const { backoff = spanBackoff, now = () => performance.now(), random = Math.random } = options;
  let waiting: FinishedSpan[] = [];
  let underWay: readonly FinishedSpan[] = [];
  let failures = noFailures;
  let failing = false;
  let timer: NodeJS.Timeout | undefined;
  let draining: Promise<void> | undefined;
  let closed = false;

  const drop = (cause: SpanDropCause, spans: number) => {
    if (spans > 0) onDropped(cause, spans);
  };

  const arm = (waitMs: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void drain(), waitMs);
    timer.unref();
  };

  const trim = () => {
    const over = Math.min(waiting.length, waiting.length + underWay.length - limit);
    if (over <= 0) return;
    waiting = waiting.slice(over);
    drop('queue-full', over);
  };

  const settle = (result: ExportResult) => {
    const batch = underWay;
    underWay = [];
    failing = !result.ok && result.retryable;
    if (result.ok || closed) return;
    if (!result.retryable) {
      drop('refused', batch.length);
      return;
    }
    waiting = [...batch, ...waiting];
    failures = withFailure(backoff, failures, now());
  };

  const sendAll = async () => {
    do {
      underWay = waiting.slice(0, batchSize);
      waiting = waiting.slice(batchSize);
      settle(await send(underWay));
    } while (!failing && !closed && waiting.length > 0);
    draining = undefined;
    if (waiting.length > 0) arm(backoffDelay(backoff, failures.count, random()));
  };

  const drain = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length > 0) draining ??= sendAll();
    return draining ?? Promise.resolve();
  };

  return {
    add(spans) {
      if (closed) return drop('shutdown', spans.length);
      waiting.push(...spans);
      trim();
      if (draining !== undefined || failing || waiting.length === 0) return;
      if (waiting.length >= batchSize) arm(0);
      else if (timer === undefined) arm(delayMs);
    },
    async flush() {
      await draining;
      await drain();
    },
    close() {
      closed = true;
      clearTimeout(timer);
      drop('shutdown', waiting.length + underWay.length);
      waiting = [];
      underWay = [];
    },
    get size() {
      return waiting.length + underWay.length;
    },
  };
}
