import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binaryOf } from '../../scripts/cluster/tools.ts';
import { freePorts } from './free-ports.ts';

/** An OpenTelemetry Collector on loopback that prints what it receives. */
export interface Collector {
  /** `host:port` by protocol. */
  readonly endpoints: Readonly<Record<'grpc' | 'http/protobuf', string>>;
  /** Everything it has printed, from this character on. */
  said(from?: number): string;
  /** What it has printed from this character on, once that matches; rejects when it ends before. */
  untilSaid(wanted: RegExp, from?: number): Promise<string>;
  close(): Promise<void>;
}

/** Starts a collector and waits until it takes requests. */
export async function startCollector(): Promise<Collector> {
  const folder = mkdtempSync(join(tmpdir(), 'otelcol-'));
  const [grpc = 0, http = 0] = await freePorts(2);
  const file = join(folder, 'config.yaml');
  writeFileSync(file, JSON.stringify(collectorConfig(grpc, http)));
  const child: ChildProcess = spawn(binaryOf('otelcol'), ['--config', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const collector: Collector = {
    endpoints: { grpc: `127.0.0.1:${grpc}`, 'http/protobuf': `127.0.0.1:${http}` },
    said: (from = 0) => text.slice(from),
    async untilSaid(wanted, from = 0) {
      while (!wanted.test(text.slice(from))) {
        if (child.exitCode !== null) throw new Error(`the collector ended; it last said:\n${text.slice(-2000)}`);
        await once(child.stderr ?? child, 'data');
      }
      return text.slice(from);
    },
    async close() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
  await collector.untilSaid(/Everything is ready/);
  return collector;
}

/** JSON is YAML too. */
function collectorConfig(grpc: number, http: number): object {
  const protocols = { grpc: { endpoint: `127.0.0.1:${grpc}` }, http: { endpoint: `127.0.0.1:${http}` } };
  const pipeline = { receivers: ['otlp'], exporters: ['debug'] };
  return {
    receivers: { otlp: { protocols } },
    exporters: { debug: { verbosity: 'detailed', use_internal_logger: false, output_paths: ['stderr'] } },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { metrics: pipeline, traces: pipeline },
    },
  };
}
