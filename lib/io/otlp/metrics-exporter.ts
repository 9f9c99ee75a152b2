import { ExportResultCode } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import type { Registry } from 'prom-client';
import { within } from '../within.ts';
import { countPoints, metricBatches } from './metric-batches.ts';
import { openMetricSender, type Sender } from './open-sender.ts';
import { createRegistryProducer } from './registry-producer.ts';
import type { ResourceAttributes } from './resource-attributes.ts';
import type { StartTimes } from './start-times.ts';
import type { Exporter, ExportResult, OtlpTarget } from './target.ts';

export interface MetricsExporterOptions extends OtlpTarget {
  readonly registry: Registry;
  /** Time between two pushes: 60,000 ms, OpenTelemetry's own default, where the key has no value. */
  readonly intervalMs: number | undefined;
  readonly resource: ResourceAttributes;
  /** The instrumentation scope: who counted. */
  readonly scope: { readonly name: string; readonly version: string };
  /** One for the life of the process, shared by all exporters. */
  readonly startTimes: StartTimes;
  /** Called once for each push, however many requests it takes; `items` counts points. */
  readonly onExport: (result: ExportResult) => void;
  /** Called before the values of a push are read. */
  readonly onCollect?: () => void;
  /** Ms since the epoch: Date.now by default. */
  readonly now?: () => number;
  /** 5000 by default: what a shutdown may take with an endpoint that does not answer. */
  readonly shutdownTimeoutMs?: number;
  /** Points in one request: 2000 by default, well below the 4 MiB that gRPC receivers take. */
  readonly batchSize?: number;
}

/**
 * Pushes a registry over OTLP from now on, first after one interval.
 *
 * Throws one sentence when endpoint, headers or certificates cannot be. An endpoint that does not answer is no reason
 * to throw: each interval tries again with the values of that moment, so nothing is lost and nothing is kept for it.
 */
export function createMetricsExporter(options: MetricsExporterOptions): Exporter {
  const { intervalMs = 60_000, resource, now = Date.now, shutdownTimeoutMs = 5000 } = options;
  // Each request ends before the reader gives the push up; 10 s is OTLP's own default.
  const sender = openMetricSender(options, Math.max(1, Math.min(10_000, Math.floor(intervalMs * 0.9))));
  const reader = new PeriodicExportingMetricReader({
    exporter: batchingExporter(sender, options),
    exportIntervalMillis: intervalMs,
    exportTimeoutMillis: intervalMs,
    metricProducers: [createRegistryProducer({ ...options, now })],
  });
  const provider = new MeterProvider({ resource: resourceFromAttributes({ ...resource }), readers: [reader] });
  let closed: Promise<void> | undefined;

  const shutdown = async () => {
    const inTime = await within(provider.shutdown(), shutdownTimeoutMs);
    if (!inTime) await within(sender.close(), shutdownTimeoutMs);
  };
  return {
    flush: async () => {
      if (closed === undefined) await within(provider.forceFlush(), shutdownTimeoutMs);
    },
    shutdown: () => {
      closed ??= shutdown();
      return closed;
    },
  };
}

type Batching = Pick<MetricsExporterOptions, 'onExport' | 'batchSize'>;

function batchingExporter(
  sender: Sender<ResourceMetrics>,
  { onExport, batchSize = 2000 }: Batching,
): PushMetricExporter {
  let busy = false;
  const push = async (metrics: ResourceMetrics): Promise<ExportResult> => {
    if (busy) return { ok: false, problem: 'the export before it is still under way', retryable: true };
    busy = true;
    try {
      return await sendAll(sender, metrics, batchSize);
    } finally {
      busy = false;
    }
  };
  return {
    export: (metrics, done) => {
      void push(metrics).then((result) => {
        onExport(result);
        done(
          result.ok
            ? { code: ExportResultCode.SUCCESS }
            : { code: ExportResultCode.FAILED, error: new Error(result.problem) },
        );
      });
    },
    forceFlush: async () => {},
    shutdown: () => sender.close(),
  };
}

/** One part after the other; the first that fails ends the push, since the next would fare no better. */
async function sendAll(
  sender: Sender<ResourceMetrics>,
  metrics: ResourceMetrics,
  batchSize: number,
): Promise<ExportResult> {
  for (const batch of metricBatches(metrics, batchSize)) {
    const result = await sender.send(batch, countPoints(batch));
    if (!result.ok) return result;
  }
  return { ok: true, items: countPoints(metrics) };
}
