import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import sinon from 'sinon';
import { WalkableHistogram } from '../../../../lib/io/metrics/walkable-histogram.ts';
import { createMetricsExporter, type MetricsExporterOptions } from '../../../../lib/io/otlp/metrics-exporter.ts';
import { resourceAttributes } from '../../../../lib/io/otlp/resource-attributes.ts';
import { createStartTimes } from '../../../../lib/io/otlp/start-times.ts';
import type { Exporter, ExportResult } from '../../../../lib/io/otlp/target.ts';
import type { ReceivedExport } from '../../../support/otlp-receiver.ts';
import { type OtlpReceiver, startGrpcReceiver, startHttpReceiver } from '../../../support/otlp-receiver.ts';

const startMs = Date.parse('2026-01-01T00:00:00Z');
const nowMs = startMs + 60_000;

function sampleRegistry(): Registry {
  const registers = [new Registry()];
  const runs = new Counter({ name: 'x_taskrun_total', help: 'TaskRuns.', labelNames: ['status'], registers });
  runs.inc({ status: 'success' }, 3);
  new Gauge({ name: 'x_running_taskruns', help: 'Running.', registers }).set(2);
  const options = { name: 'x_taskrun_duration_seconds', help: 'Durations.', labelNames: ['task'], buckets: [10, 60] };
  const durations = new WalkableHistogram({ ...options, registers });
  for (const seconds of [5, 10, 59, 61, 100]) durations.observe({ task: 'build' }, seconds);
  const plain = new Histogram({ name: 'x_client_latency', help: 'Latency.', buckets: [1, 2], registers });
  for (const milliseconds of [0.5, 1.5, 9]) plain.observe(milliseconds);
  return registers[0] ?? new Registry();
}

const receivers = [
  { protocol: 'grpc', start: startGrpcReceiver },
  { protocol: 'http/protobuf', start: startHttpReceiver },
] as const;

describe('createMetricsExporter', () => {
  const open: { exporters: Exporter[]; receivers: OtlpReceiver[] } = { exporters: [], receivers: [] };
  let results: ExportResult[] = [];

  beforeEach(() => {
    results = [];
  });

  afterEach(async () => {
    for (const exporter of open.exporters.splice(0)) await exporter.shutdown();
    for (const receiver of open.receivers.splice(0)) await receiver.close();
  });

  function exporterTo(endpoint: string | undefined, more: Partial<MetricsExporterOptions> = {}): Exporter {
    const exporter = createMetricsExporter({
      protocol: 'http/protobuf',
      endpoint,
      bareEndpoint: 'plaintext',
      env: {},
      registry: sampleRegistry(),
      intervalMs: 3_600_000,
      resource: resourceAttributes({ component: 'svc-pipelines-controller', version: '1.2.3', instanceId: 'one' }),
      scope: { name: 'svc-pipelines-controller', version: '1.2.3' },
      startTimes: createStartTimes(startMs),
      onExport: (result) => results.push(result),
      now: () => nowMs,
      ...more,
    });
    open.exporters.push(exporter);
    return exporter;
  }

  async function receiving(start: () => Promise<OtlpReceiver>): Promise<OtlpReceiver> {
    const receiver = await start();
    open.receivers.push(receiver);
    return receiver;
  }

  const metricsIn = (request: ReceivedExport) => request.metrics.flatMap(({ items }) => items);

  for (const { protocol, start } of receivers) {
    it(`pushes counters, gauges and histograms as they are over ${protocol}`, async () => {
      const receiver = await receiving(start);
      await exporterTo(receiver.endpoint, { protocol }).flush();
      const request = await receiver.next();
      const common = { temporality: 2, monotonic: false };
      const times = { startMs, timeMs: nowMs };
      expect(metricsIn(request)).to.deep.equal([
        {
          ...common,
          name: 'x_taskrun_total',
          description: 'TaskRuns.',
          unit: '1',
          type: 'sum',
          monotonic: true,
          points: [{ ...times, labels: { status: 'success' }, value: 3 }],
        },
        {
          ...common,
          name: 'x_running_taskruns',
          description: 'Running.',
          unit: '',
          type: 'gauge',
          temporality: 0,
          points: [{ ...times, labels: {}, value: 2 }],
        },
        {
          ...common,
          name: 'x_taskrun_duration_seconds',
          description: 'Durations.',
          unit: 's',
          type: 'histogram',
          points: [{ ...times, labels: { task: 'build' }, bounds: [10, 60], counts: [2, 1, 2], sum: 235, count: 5 }],
        },
        {
          ...common,
          name: 'x_client_latency',
          description: 'Latency.',
          unit: 'ms',
          type: 'histogram',
          points: [{ ...times, labels: {}, bounds: [1, 2], counts: [1, 1, 1], sum: 11, count: 3 }],
        },
      ]);
      expect(results).to.deep.equal([{ ok: true, items: 4 }]);
    });

    it(`says over ${protocol} who is speaking, and sends the headers of the environment`, async () => {
      const receiver = await receiving(start);
      const env = {
        OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=all,authorization=Bearer%20one',
        OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'x-tenant=metrics',
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      };
      const names = { component: 'controller', version: '1.2.3', instanceId: 'one', podName: 'pod-1', namespace: 'ns' };
      await exporterTo(receiver.endpoint, { protocol, env, resource: resourceAttributes(names) }).flush();
      const request = await receiver.next();
      expect(request.metrics[0]?.scope).to.equal('svc-pipelines-controller');
      expect(request.metrics[0]?.resource).to.include({
        'service.name': 'controller',
        'service.version': '1.2.3',
        'service.instance.id': 'one',
        'k8s.pod.name': 'pod-1',
        'k8s.namespace.name': 'ns',
      });
      expect(request.headers).to.include({ 'x-tenant': 'metrics', authorization: 'Bearer one' });
    });

    it(`says over ${protocol} why a push was refused, and pushes the values of the moment when it is not`, async () => {
      const receiver = await receiving(start);
      const registry = sampleRegistry();
      const exporter = exporterTo(receiver.endpoint, { protocol, registry });
      receiver.answer = protocol === 'grpc' ? 16 : 401;
      await exporter.flush();
      await receiver.next();
      receiver.answer = 0;
      (registry.getSingleMetric('x_taskrun_total') as unknown as Counter).inc({ status: 'success' });
      await exporter.flush();
      const [counter] = metricsIn(await receiver.next());
      expect(counter?.points[0]?.value).to.equal(4);
      const problem = protocol === 'grpc' ? 'answered UNAUTHENTICATED' : 'answered 401';
      expect(results).to.deep.equal([
        { ok: false, problem, retryable: false },
        { ok: true, items: 4 },
      ]);
    });

    it(`fails over ${protocol} while nobody listens, and is through once somebody does`, async () => {
      const first = await start();
      await first.close();
      const exporter = exporterTo(first.endpoint, { protocol, intervalMs: 200 });
      await exporter.flush();
      expect(results[0]).to.deep.include({ ok: false, retryable: true });
      const receiver = await receiving(() => start({ port: first.port }));
      const [counter] = metricsIn(await receiver.next());
      expect(counter?.points[0]?.value).to.equal(3);
    });
  }

  it('pushes what there is when it is shut down, and nothing after', async () => {
    const receiver = await receiving(startHttpReceiver);
    const exporter = exporterTo(receiver.endpoint);
    await exporter.shutdown();
    await exporter.flush();
    await exporter.shutdown();
    expect(receiver.received).to.have.length(1);
  });

  it('pushes once an interval', async () => {
    const clock = sinon.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const receiver = await receiving(startHttpReceiver);
      exporterTo(receiver.endpoint, { intervalMs: 30_000 });
      clock.tick(30_000);
      await receiver.next();
      expect(receiver.received).to.have.length(1);
    } finally {
      clock.restore();
    }
  });

  it('sends large registries in parts of the size asked for, as one push', async () => {
    const receiver = await receiving(startHttpReceiver);
    const registry = new Registry();
    const gauge = new Gauge({ name: 'x', help: 'x', labelNames: ['run'], registers: [registry] });
    for (let run = 0; run < 25; run += 1) gauge.set({ run: String(run) }, run);
    await exporterTo(receiver.endpoint, { registry, batchSize: 10 }).flush();
    const parts = receiver.received.map((request) => metricsIn(request).flatMap(({ points }) => points));
    expect(parts.map((points) => points.length)).to.deep.equal([10, 10, 5]);
    expect(parts.flat().map(({ value }) => value)).to.deep.equal(Array.from({ length: 25 }, (_, run) => run));
    expect(results).to.deep.equal([{ ok: true, items: 25 }]);
  });

  it('gives an instrument that replaced another a start of its own, across exporters', async () => {
    const receiver = await receiving(startHttpReceiver);
    const [registry, startTimes] = [new Registry(), createStartTimes(startMs)];
    let clockMs = nowMs;
    const now = () => clockMs;
    const replace = () => {
      registry.clear();
      new Counter({ name: 'x_total', help: 'x', registers: [registry] }).inc();
    };
    replace();
    const first = exporterTo(receiver.endpoint, { registry, startTimes, now });
    await first.flush();
    clockMs += 1000;
    replace();
    await first.flush();
    clockMs += 1000;
    await exporterTo(receiver.endpoint, { registry, startTimes, now }).flush();
    const starts = receiver.received.map((request) => metricsIn(request)[0]?.points[0]?.startMs);
    expect(starts).to.deep.equal([startMs, nowMs, nowMs]);
  });

  it('ends a shutdown in time when the endpoint takes a connection and never answers', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    // Without the limit, one request would take the 10 s that the spec has.
    await exporterTo(`127.0.0.1:${port}`, { shutdownTimeoutMs: 50 }).shutdown();
    silent.close();
  });

  it('refuses to be built over a missing endpoint', () => {
    expect(() => exporterTo(undefined)).to.throw(
      'metrics-endpoint: expected host:port, http://host:port or https://host:port because the protocol is http/protobuf, got nothing',
    );
  });
});
