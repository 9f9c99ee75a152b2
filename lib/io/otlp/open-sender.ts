import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { credentials, Metadata } from '@grpc/grpc-js';
import { ExportResultCode, type ExportResult as OtelResult } from '@opentelemetry/core';
import { OTLPMetricExporter as GrpcMetrics } from '@opentelemetry/exporter-metrics-otlp-grpc';
import { OTLPMetricExporter as HttpMetrics } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as GrpcTraces } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as HttpTraces } from '@opentelemetry/exporter-trace-otlp-proto';
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { exportProblem } from './export-problem.ts';
import { type Connection, readConnection } from './read-connection.ts';
import type { ExportResult, OtlpTarget } from './target.ts';

/** One connection that takes one kind of data. */
export interface Sender<T> {
  /** Sends and says what it came to; never rejects. `items` is the caller's count. */
  send(data: T, items: number): Promise<ExportResult>;
  /** Ends what is under way and closes the connection. */
  close(): Promise<void>;
}

interface OtlpExporter<T> {
  export(data: T, done: (result: OtelResult) => void): void;
  shutdown(): Promise<void>;
}

type GrpcConfig = NonNullable<ConstructorParameters<typeof GrpcTraces>[0]>;
type HttpConfig = NonNullable<ConstructorParameters<typeof HttpTraces>[0]>;

/** Opens a connection for metrics; throws one sentence when endpoint, headers or certificates cannot be. */
export function openMetricSender(target: OtlpTarget, timeoutMs: number): Sender<ResourceMetrics> {
  const connection = readConnection('metrics', target);
  if (target.protocol === 'grpc') return senderOver(new GrpcMetrics(grpcConfig(connection, timeoutMs)));
  const agent = agentFor(connection);
  return senderOver(new HttpMetrics(httpConfig(connection, agent, timeoutMs)), agent);
}

/** Opens a connection for spans; throws as `openMetricSender` does. */
export function openSpanSender(target: OtlpTarget, timeoutMs: number): Sender<ReadableSpan[]> {
  const connection = readConnection('traces', target);
  if (target.protocol === 'grpc') return senderOver(new GrpcTraces(grpcConfig(connection, timeoutMs)));
  const agent = agentFor(connection);
  return senderOver(new HttpTraces(httpConfig(connection, agent, timeoutMs)), agent);
}

function senderOver<T>(exporter: OtlpExporter<T>, agent?: Agent): Sender<T> {
  return {
    send: (data, items) =>
      new Promise<ExportResult>((resolve) => {
        exporter.export(data, ({ code, error }) =>
          resolve(code === ExportResultCode.SUCCESS ? { ok: true, items } : exportProblem(error)),
        );
      }).catch((): ExportResult => ({ ok: false, problem: 'it could not be encoded', retryable: false })),
    close: () => {
      if (agent !== undefined) close(agent);
      return exporter.shutdown();
    },
  };
}

/** Ends posts under way, and the attempts that would follow them. */
function close(agent: Agent): void {
  agent.createConnection = () => {
    throw new Error('the exporter is shut down');
  };
  agent.destroy();
}

// Everything is said outright: what is left open, the exporters would read from the environment in their own way.

function grpcConfig(connection: Connection, timeoutMs: number): GrpcConfig {
  const { url, tls, ca = null, key = null, cert = null, gzip } = connection;
  return {
    url,
    credentials: tls ? credentials.createSsl(ca, key, cert) : credentials.createInsecure(),
    metadata: metadataOf(connection.headers),
    timeoutMillis: timeoutMs,
    concurrencyLimit,
    compression: compressionOf(gzip),
  };
}

function metadataOf(headers: Connection['headers']): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) {
    try {
      metadata.set(name, value);
    } catch {
      throw new Error(`OTEL_EXPORTER_OTLP_HEADERS: expected names and values fit for gRPC, got others at ${name}`);
    }
  }
  return metadata;
}

function httpConfig({ url, headers, gzip }: Connection, agent: Agent, timeoutMs: number): HttpConfig {
  return {
    url,
    headers: { ...headers },
    timeoutMillis: timeoutMs,
    concurrencyLimit,
    compression: compressionOf(gzip),
    httpAgentOptions: () => agent,
  };
}

function agentFor({ tls, ca, key, cert }: Connection): Agent {
  const keepAlive = { keepAlive: true, maxSockets: concurrencyLimit };
  return tls ? new TlsAgent({ ...keepAlive, ca, key, cert }) : new Agent(keepAlive);
}

/** One at a time is sent; a push that outlives its interval may overlap the next. */
const concurrencyLimit = 4;

function compressionOf(gzip: boolean): NonNullable<GrpcConfig['compression']> {
  // A string enum of a package that is not ours to import.
  return (gzip ? 'gzip' : 'none') as NonNullable<GrpcConfig['compression']>;
}
