import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { resourceAttributes } from '../../../../lib/io/otlp/resource-attributes.ts';
import type { ExportResult } from '../../../../lib/io/otlp/target.ts';
import {
  createTracesExporter,
  type TracesExporter,
  type TracesExporterOptions,
} from '../../../../lib/io/otlp/traces-exporter.ts';
import { type OtlpReceiver, startGrpcReceiver, startHttpReceiver } from '../../../support/otlp-receiver.ts';
import { span } from '../../../support/spans.ts';

const failed = span({
  parentSpanId: 'fedcba9876543210',
  remoteParent: true,
  attributes: { 'run.kind': 'TaskRun', 'process.exit.code': 3, ratio: 0.5, done: true },
  events: [
    { name: 'Running', timeMs: Date.parse('2026-01-01T00:00:01Z'), attributes: { 'condition.status': 'Unknown' } },
  ],
  status: { code: 'error', message: 'no such image' },
});
const startMs = failed.startMs;

const receivers = [
  { protocol: 'grpc', start: startGrpcReceiver },
  { protocol: 'http/protobuf', start: startHttpReceiver },
] as const;

describe('createTracesExporter', () => {
  let exporters: TracesExporter[] = [];
  let results: ExportResult[] = [];
  let dropped: string[] = [];
  let written: string[] = [];

  beforeEach(() => {
    [exporters, results, dropped, written] = [[], [], [], []];
  });

  afterEach(async () => {
    for (const exporter of exporters) await exporter.shutdown();
  });

  function exporterTo(endpoint: string | undefined, more: Partial<TracesExporterOptions> = {}): TracesExporter {
    const exporter = createTracesExporter({
      protocol: 'http/protobuf',
      endpoint,
      bareEndpoint: 'plaintext',
      env: {},
      resource: resourceAttributes({ component: 'controller', version: '1', instanceId: 'one' }),
      scope: { name: 'controller', version: '1' },
      onExport: (result) => results.push(result),
      onDropped: (cause, count) => dropped.push(`${cause} ${count}`),
      write: (line) => written.push(line),
      ...more,
    });
    exporters.push(exporter);
    return exporter;
  }

  async function using(start: () => Promise<OtlpReceiver>, test: (receiver: OtlpReceiver) => Promise<void>) {
    const receiver = await start();
    try {
      await test(receiver);
      for (const exporter of exporters.splice(0)) await exporter.shutdown();
    } finally {
      await receiver.close();
    }
  }

  for (const { protocol, start } of receivers) {
    it(`sends spans as they are over ${protocol}`, () =>
      using(start, async (receiver) => {
        const exporter = exporterTo(receiver.endpoint, { protocol });
        exporter.send([failed, span({ status: { code: 'ok' } })]);
        expect(exporter.queued).to.equal(2);
        await exporter.flush();
        const [batch] = (await receiver.next()).spans;
        expect(batch?.resource).to.include({ 'service.name': 'controller', 'service.instance.id': 'one' });
        expect(batch?.items[0]).to.deep.equal({
          traceId: '0123456789abcdef0123456789abcdef',
          spanId: '0123456789abcdef',
          parentSpanId: 'fedcba9876543210',
          name: 'build',
          startMs,
          endMs: startMs + 5000,
          attributes: { 'run.kind': 'TaskRun', 'process.exit.code': 3, ratio: 0.5, done: true },
          events: [{ name: 'Running', timeMs: startMs + 1000, attributes: { 'condition.status': 'Unknown' } }],
          statusCode: 2,
          statusMessage: 'no such image',
        });
        expect(batch?.items[1]).to.include({ parentSpanId: '', statusCode: 1 });
        expect(results).to.deep.equal([{ ok: true, items: 2 }]);
      }));

    it(`drops over ${protocol} what the receiver refuses for good`, () =>
      using(start, async (receiver) => {
        receiver.answer = protocol === 'grpc' ? 3 : 400;
        const exporter = exporterTo(receiver.endpoint, { protocol });
        exporter.send([failed]);
        await exporter.flush();
        expect(dropped).to.deep.equal(['refused 1']);
        expect(exporter.queued).to.equal(0);
      }));

    it(`keeps spans while nobody listens over ${protocol}, and sends them once somebody does`, async () => {
      const first = await start();
      await first.close();
      const exporter = exporterTo(first.endpoint, { protocol, timeoutMs: 100 });
      exporter.send([failed]);
      await exporter.flush();
      expect(results[0]).to.deep.include({ ok: false, retryable: true });
      expect(exporter.queued).to.equal(1);
      await using(
        () => start({ port: first.port }),
        async (receiver) => {
          const [batch] = (await receiver.next()).spans;
          expect(batch?.items).to.have.length(1);
          expect(dropped).to.deep.equal([]);
        },
      );
    });
  }

  it('sends what waits when it is shut down', () =>
    using(startHttpReceiver, async (receiver) => {
      const exporter = exporterTo(receiver.endpoint);
      exporter.send([failed]);
      await exporter.shutdown();
      await exporter.shutdown();
      exporter.send([failed]);
      expect(receiver.received).to.have.length(1);
      expect(dropped).to.deep.equal(['shutdown 1']);
    }));

  it('drops and counts at a shutdown what an endpoint that never answers would not take', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const exporter = exporterTo(`127.0.0.1:${port}`, { shutdownTimeoutMs: 50, batchSize: 1 });
    exporter.send([failed, failed]);
    await exporter.shutdown();
    expect(dropped).to.deep.equal(['shutdown 2']);
    silent.close();
  });

  it('prints a batch as one line of OTLP JSON', async () => {
    const exporter = exporterTo(undefined, { protocol: 'stdout' });
    exporter.send([failed, span()]);
    await exporter.flush();
    expect(written).to.have.length(1);
    expect(written[0]).to.match(/^[^\n]*\n$/);
    const [batch] = JSON.parse(written[0] ?? '').resourceSpans;
    expect(batch.scopeSpans[0].spans.map(({ spanId }: { spanId: string }) => spanId)).to.have.length(2);
    expect(batch.scopeSpans[0].spans[0]).to.deep.include({
      traceId: failed.traceId,
      startTimeUnixNano: '1767225600000000000',
      status: { code: 2, message: 'no such image' },
    });
    expect(results).to.deep.equal([{ ok: true, items: 2 }]);
  });
});
