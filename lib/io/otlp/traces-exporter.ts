import { resourceFromAttributes } from '@opentelemetry/resources';
import type { FinishedSpan } from '../../traces/finished-span.ts';
import { otlpJson } from '../../traces/otlp-json.ts';
import { within } from '../within.ts';
import { openSpanSender } from './open-sender.ts';
import { readableSpan } from './readable-span.ts';
import type { ResourceAttributes } from './resource-attributes.ts';
import { createSpanQueue, type SpanQueueOptions } from './span-queue.ts';
import type { Exporter, ExportResult, OtlpTarget } from './target.ts';

export interface TracesExporterOptions
  extends Omit<OtlpTarget, 'protocol'>,
    Pick<SpanQueueOptions, 'onDropped' | 'limit' | 'batchSize' | 'delayMs'> {
  readonly protocol: OtlpTarget['protocol'] | 'stdout';
  readonly resource: ResourceAttributes;
  /** The instrumentation scope: who made the spans. */
  readonly scope: { readonly name: string; readonly version: string };
  /** Called once for each request; `items` counts spans. */
  readonly onExport: (result: ExportResult) => void;
  /** Where `stdout` writes: one line for each batch, with its newline. */
  readonly write: (line: string) => void;
  /** 10,000 by default: what one request may take, its own retries included. */
  readonly timeoutMs?: number;
  /** 5000 by default: what a shutdown may take with an endpoint that does not answer. */
  readonly shutdownTimeoutMs?: number;
}

export interface TracesExporter extends Exporter {
  /** Takes spans along; never waits. What cannot be kept is told to `onDropped`. */
  send(spans: readonly FinishedSpan[]): void;
  /** Spans that wait or are under way. */
  readonly queued: number;
}

/** Something that spans are handed to. */
interface Outlet {
  send(spans: readonly FinishedSpan[]): Promise<ExportResult>;
  close(): Promise<void>;
}

/**
 * Sends spans over OTLP, or prints them as OTLP's JSON, a batch a line.
 *
 * Throws one sentence when endpoint, headers or certificates cannot be. An endpoint that does not answer is tried again
 * while the queue has room.
 */
export function createTracesExporter(options: TracesExporterOptions): TracesExporter {
  const { onExport, shutdownTimeoutMs = 5000 } = options;
  const outlet = openOutlet(options);
  const queue = createSpanQueue({
    ...options,
    send: async (batch) => {
      const result = await outlet.send(batch);
      onExport(result);
      return result;
    },
  });
  let closed: Promise<void> | undefined;

  const shutdown = async () => {
    await within(queue.flush(), shutdownTimeoutMs);
    queue.close();
    await within(outlet.close(), shutdownTimeoutMs);
  };
  return {
    send: (spans) => queue.add(spans),
    flush: async () => {
      await within(queue.flush(), shutdownTimeoutMs);
    },
    shutdown: () => {
      closed ??= shutdown();
      return closed;
    },
    get queued() {
      return queue.size;
    },
  };
}

function openOutlet(options: TracesExporterOptions): Outlet {
  const { protocol, resource, scope, write, timeoutMs = 10_000 } = options;
  if (protocol === 'stdout') {
    return {
      send: async (spans) => {
        write(`${JSON.stringify(otlpJson(spans, { resource, scope }))}\n`);
        return { ok: true, items: spans.length };
      },
      close: async () => {},
    };
  }
  const sender = openSpanSender({ ...options, protocol }, timeoutMs);
  const source = { resource: resourceFromAttributes({ ...resource }), scope };
  return {
    send: (spans) =>
      sender.send(
        spans.map((span) => readableSpan(span, source)),
        spans.length,
      ),
    close: () => sender.close(),
  };
}
