import { expect } from 'chai';
import { Counter, Registry } from 'prom-client';
import { WalkableHistogram } from '../../lib/io/metrics/walkable-histogram.ts';
import { createMetricsExporter } from '../../lib/io/otlp/metrics-exporter.ts';
import { resourceAttributes } from '../../lib/io/otlp/resource-attributes.ts';
import { createStartTimes } from '../../lib/io/otlp/start-times.ts';
import type { ExportResult } from '../../lib/io/otlp/target.ts';
import { createTracesExporter } from '../../lib/io/otlp/traces-exporter.ts';
import { span } from '../support/spans.ts';
import { type Collector, startCollector } from './collector.ts';

const protocols = ['grpc', 'http/protobuf'] as const;
const source = {
  bareEndpoint: 'plaintext',
  env: {},
  resource: resourceAttributes({ component: 'svc-pipelines-controller', version: '1.2.3', instanceId: 'one' }),
  scope: { name: 'svc-pipelines-controller', version: '1.2.3' },
} as const;

describe('a real OpenTelemetry Collector', () => {
  let collector: Collector;
  const results: ExportResult[] = [];
  const onExport = (result: ExportResult) => void results.push(result);
  before(async () => {
    collector = await startCollector();
  });
  after(() => collector.close());

  for (const protocol of protocols) {
    it(`takes metrics over ${protocol}`, async () => {
      const from = collector.said().length;
      const registers = [new Registry()];
      new Counter({ name: 'x_taskrun_total', help: 'TaskRuns.', labelNames: ['status'], registers }).inc(
        { status: protocol },
        3,
      );
      const durations = new WalkableHistogram({
        name: 'x_duration_seconds',
        help: 'Seconds.',
        buckets: [10, 60],
        registers,
      });
      durations.observe(59);
      const [registry = new Registry()] = registers;
      const exporter = createMetricsExporter({
        ...source,
        ...{ protocol, endpoint: collector.endpoints[protocol], registry, intervalMs: undefined, onExport },
        startTimes: createStartTimes(Date.now()),
      });
      await exporter.shutdown();
      const printed = await collector.untilSaid(/x_duration_seconds[\s\S]*ExplicitBounds #1/, from);
      expect(results.at(-1)).to.deep.equal({ ok: true, items: 2 });
      expect(printed).to.match(/Name: x_taskrun_total[\s\S]*IsMonotonic: true\s+-> AggregationTemporality: Cumulative/);
      expect(printed).to.include(`status: Str(${protocol})`).and.include('Value: 3.000000');
      expect(printed).to.match(/service\.name: Str\(svc-pipelines-controller\)/);
    });

    it(`takes spans over ${protocol}`, async () => {
      const from = collector.said().length;
      const name = `build over ${protocol}`;
      const exporter = createTracesExporter({
        ...source,
        ...{ protocol, endpoint: collector.endpoints[protocol], onExport, onDropped: () => {}, write: () => {} },
      });
      exporter.send([span({ name, status: { code: 'error', message: 'no such image' } })]);
      await exporter.shutdown();
      const printed = await collector.untilSaid(/Status message : no such image/, from);
      expect(results.at(-1)).to.deep.equal({ ok: true, items: 1 });
      expect(printed)
        .to.match(/Trace ID\s+: 0123456789abcdef0123456789abcdef/)
        .and.include(name);
    });
  }
});
