import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { request } from 'undici';
import type { Health } from '../../lib/io/servers/health.ts';
import { version } from '../../lib/io/version.ts';
import { until } from '../cluster/until.ts';
import type { ReceivedMetric } from '../support/otlp-messages.ts';
import { type OtlpReceiver, startGrpcReceiver, startHttpReceiver } from '../support/otlp-receiver.ts';
import { svc } from '../support/runs.ts';
import { linesOf, sampleValue } from '../support/scrape.ts';
import { selfSigned } from '../support/self-signed.ts';
import { startWorld, type World } from '../support/world.ts';

const map = 'config-observability';
const starters = { grpc: startGrpcReceiver, 'http/protobuf': startHttpReceiver } as const;
const protocols = ['grpc', 'http/protobuf'] as const;
const often = { 'metrics-export-interval': '100ms' };

const switchedMetrics = 'metrics are exported as the settings ask';
const switchedTraces = 'runs are traced as the settings ask';

describe('2.2 Switches while running', () => {
  let world: World;
  const receivers: OtlpReceiver[] = [];
  const closers: (() => void)[] = [];
  const tls = selfSigned('collector.test');
  const dir = mkdtempSync(join(tmpdir(), 'live-switches-'));
  /** Not there until a spec writes it. */
  const lateAuthorities = join(dir, 'late-ca.pem');

  before(async () => {
    const authorities = join(dir, 'ca.pem');
    writeFileSync(authorities, tls.cert);
    world = await startWorld({
      env: {
        POD_NAME: 'controller-0',
        POD_NAMESPACE: 'operations',
        OTEL_EXPORTER_OTLP_CERTIFICATE: lateAuthorities,
        OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE: authorities,
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20spec-token',
      },
    });
  });
  after(async () => {
    for (const close of closers) close();
    await Promise.all(receivers.map((receiver) => receiver.close()));
    await world.close();
    rmSync(dir, { recursive: true });
  });

  async function receiverFor(protocol: (typeof protocols)[number], port = 0): Promise<OtlpReceiver> {
    const receiver = await starters[protocol]({ port });
    receivers.push(receiver);
    return receiver;
  }

  /** Edits the map and waits until the log says this of the protocol asked for: it says it at the start too. */
  async function edit(data: Readonly<Record<string, string>>, said: string): Promise<void> {
    const after = world.controller.lines.length;
    pushing = 'metrics-protocol' in data;
    await world.configure(map, data);
    const wanted = new Map([
      [switchedMetrics, data['metrics-protocol'] ?? 'prometheus'],
      [switchedTraces, data['tracing-protocol'] ?? 'none'],
    ]).get(said);
    await world.controller.logged(({ msg, protocol }) => msg === said && protocol === wanted, after);
  }

  let pushing = false;

  /** To the defaults. */
  const back = async () => {
    if (pushing) await edit({}, switchedMetrics);
    pushing = false;
  };

  async function scrapeAnswer(): Promise<string> {
    const { statusCode, body } = await request(world.metricsUrl);
    return `${statusCode} ${statusCode === 200 ? '' : await body.text()}`.trim();
  }

  const counted = async () => linesOf(await world.scrape(), 'taskrun_total').join();

  describe('metrics-protocol', () => {
    for (const protocol of protocols) {
      it(`pushes what /metrics said over ${protocol}, and goes back with every count`, async () => {
        await back();
        await world.finish('TaskRun', `counted-over-${protocol.slice(0, 4)}`);
        await world.scrapeUntil(/taskrun_total\{/);
        const before = await counted();
        const receiver = await receiverFor(protocol);
        const settings = { 'metrics-protocol': protocol, 'metrics-endpoint': receiver.endpoint, ...often };
        await edit(settings, switchedMetrics);
        expect(await scrapeAnswer()).to.equal(`404 metrics are not served here while metrics-protocol is ${protocol}`);
        const [batch] = (await receiver.next()).metrics;
        const { 'service.instance.id': instance, ...resource } = batch?.resource ?? {};
        expect(instance).to.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
        expect(resource).to.deep.include({
          'service.name': svc.component,
          'service.version': version,
          'k8s.pod.name': 'controller-0',
          'k8s.namespace.name': 'operations',
        });
        expect(namedIn(batch?.items ?? [], 'taskrun_total')?.points.map(({ value }) => value)).to.deep.equal(
          before.split('\n').map((line) => Number(line.split(' ').at(-1))),
        );
        await back();
        expect(await counted()).to.equal(before);
      });
    }

    it('none answers scrapes with a sentence, and counts on', async () => {
      const before = sampleValue(await world.scrape(), 'taskrun_total{status="success",reason="Succeeded"}') ?? 0;
      await edit({ 'metrics-protocol': 'none' }, switchedMetrics);
      expect(await scrapeAnswer()).to.equal('404 metrics are not served here while metrics-protocol is none');
      await world.finish('TaskRun', 'counted-unseen');
      await back();
      const after = sampleValue(await world.scrape(), 'taskrun_total{status="success",reason="Succeeded"}');
      expect(after).to.equal(before + 1);
    });

    it('flushes the last values when it leaves an endpoint', async () => {
      const receiver = await receiverFor('http/protobuf');
      const target = { 'metrics-protocol': 'http/protobuf', 'metrics-endpoint': receiver.endpoint };
      await edit({ ...target, 'metrics-export-interval': '1h' }, switchedMetrics);
      await world.finish('TaskRun', 'counted-last');
      expect(receiver.received).to.have.length(0);
      await back();
      const [batch] = (await receiver.next()).metrics;
      const pushed = namedIn(batch?.items ?? [], 'taskrun_total')?.points[0]?.value;
      expect(pushed).to.equal(sampleValue(await world.scrape(), 'taskrun_total{status="success",reason="Succeeded"}'));
    });

    it('pushes exponential histograms from the edit on that asks for them, and the buckets again when it is taken back', async () => {
      const receiver = await receiverFor('http/protobuf');
      const target = { 'metrics-protocol': 'http/protobuf', 'metrics-endpoint': receiver.endpoint, ...often };
      const aggregation = { 'metrics.otlp.histogram-aggregation': 'base2_exponential_bucket_histogram' };
      await edit(target, switchedMetrics);
      const durations = async () =>
        namedIn((await receiver.next()).metrics[0]?.items ?? [], 'taskrun_duration_seconds');
      /** The push that says so; every one before it is read too. */
      const untilPushed = async (right: (metric: ReceivedMetric) => boolean) => {
        for (;;) {
          const metric = await durations();
          if (metric !== undefined && right(metric)) return metric;
        }
      };
      await world.finish('TaskRun', 'in-buckets');
      const counted = ({ type, points: [point] }: ReceivedMetric) => `${type} ${point?.count} ${point?.sum}`;
      const {
        points: [explicit],
      } = await untilPushed(({ type }) => type === 'histogram');
      await world.configure(map, { ...target, ...aggregation });
      await world.finish('TaskRun', 'exponential', { seconds: 64 });
      const {
        points: [point],
      } = await untilPushed(({ type, points }) => type === 'exponential' && points.length > 0);
      expect(point).to.deep.include({ count: 1, sum: 64, scale: 20, counts: [1], offset: 6 * 2 ** 20 - 1 });
      expect(point?.startMs).to.be.greaterThan(explicit?.startMs ?? Number.POSITIVE_INFINITY);
      await world.configure(map, target);
      const total = `histogram ${(explicit?.count ?? 0) + 1} ${(explicit?.sum ?? 0) + 64}`;
      expect(counted(await untilPushed((metric) => counted(metric) === total))).to.equal(total);
      await back();
    });

    it('pushes gauges of the clock as they are at the push', async () => {
      const receiver = await receiverFor('http/protobuf');
      const target = { 'metrics-protocol': 'http/protobuf', 'metrics-endpoint': receiver.endpoint };
      const { answer } = world.sink;
      const held: ServerResponse[] = [];
      world.sink.answer = (_, response) => void held.push(response);
      const run = await world.create('TaskRun', 'held-back');
      await run.condition('Unknown/Running/');
      await run.told('started');
      await edit({ ...target, ...often }, switchedMetrics);
      const age = async () => {
        const { metrics } = await receiver.next();
        return namedIn(metrics[0]?.items ?? [], 'event_oldest_unsent_seconds')?.points[0]?.value ?? 0;
      };
      const first = await age();
      expect(await age()).to.be.greaterThan(first);
      world.sink.answer = answer;
      for (const response of held) response.writeHead(204).end();
      await back();
    });

    it('keeps what was there when a certificate file cannot be read, and says so', async () => {
      await back();
      const refused = 'metrics cannot be exported like that, what was before stays';
      await edit({ 'metrics-protocol': 'grpc', 'metrics-endpoint': 'https://127.0.0.1:1' }, refused);
      expect(await scrapeAnswer()).to.equal('200');
      const verbose = await (await request(`${world.healthUrl}/readyz?verbose`)).body.text();
      expect(verbose).to.match(/^\[!\]metrics-protocol: OTEL_EXPORTER_OTLP_CERTIFICATE: expected a file in PEM/m);
      const switches = 'exporter_switches_total{signal="metrics",outcome="refused"}';
      expect(sampleValue(await world.scrape(), switches)).to.equal(1);
      await back();
      expect(await (await request(`${world.healthUrl}/readyz?verbose`)).body.text()).not.to.include(
        '[!]metrics-protocol',
      );
    });

    it('takes up what was refused once the certificate file is there, without another edit, and follows its renewal', async () => {
      const receiver = await startHttpReceiver({ tls });
      receivers.push(receiver);
      const endpoint = `https://${receiver.endpoint}`;
      const refused = 'metrics cannot be exported like that, what was before stays';
      await edit({ 'metrics-protocol': 'http/protobuf', 'metrics-endpoint': endpoint, ...often }, refused);
      const exporter = async () => {
        const { exporters } = (await (await request(`${world.healthUrl}/status`)).body.json()) as Required<Health>;
        return exporters.find(({ signal }) => signal === 'metrics');
      };
      expect(await exporter()).to.deep.include({ protocol: 'prometheus' });
      expect((await exporter())?.problem).to.match(
        /got none \(ENOENT\) \(tried again when the certificate files change\)$/,
      );
      for (const content of [tls.cert, `${tls.cert}\n`]) {
        const after = world.controller.lines.length;
        writeFileSync(lateAuthorities, content);
        await world.controller.logged(({ msg }) => msg === switchedMetrics, after);
        await receiver.next();
        expect(await exporter()).to.deep.include({ protocol: 'http/protobuf', problem: null });
      }
      rmSync(lateAuthorities);
      await world.controller.logged(
        ({ problem }) => /got none \(ENOENT\)/.test(String(problem)),
        world.controller.lines.length,
      );
      expect(await exporter()).to.deep.include({ protocol: 'http/protobuf' });
      await back();
    });

    for (const protocol of protocols) {
      it(`switches to an endpoint of ${protocol} that does not answer, says so once, and reaches it later`, async () => {
        const gone = await receiverFor(protocol);
        await gone.close();
        const after = world.controller.lines.length;
        await edit({ 'metrics-protocol': protocol, 'metrics-endpoint': gone.endpoint, ...often }, switchedMetrics);
        await world.controller.logged(({ msg }) => msg.startsWith('an export failed'), after);
        const there = await receiverFor(protocol, gone.port);
        await there.next();
        await world.controller.logged(({ msg }) => msg === 'exports go through again', after);
        const said = world.controller.lines.slice(after).filter(({ msg }) => msg.startsWith('an export failed'));
        expect(new Set(said.map(({ problem }) => problem)).size).to.equal(said.length);
        await back();
        expect(sampleValue(await world.scrape(), 'exports_total{signal="metrics",outcome="failed"}')).to.be.above(0);
      });
    }

    it('takes up edit after edit while former endpoints let their flush hang', async () => {
      const sockets: Socket[] = [];
      const hanging = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
      closers.push(() => {
        hanging.close();
        for (const socket of sockets) socket.destroy();
      });
      await once(hanging, 'listening');
      const { port } = hanging.address() as { port: number };
      for (const interval of ['1h', '2h']) {
        const target = { 'metrics-protocol': 'grpc', 'metrics-endpoint': `127.0.0.1:${port}` };
        await edit({ ...target, 'metrics-export-interval': interval }, switchedMetrics);
        await back();
        expect(await scrapeAnswer()).to.equal('200');
      }
    });
  });

  describe('tracing', () => {
    for (const protocol of protocols) {
      it(`sends the span of a run over ${protocol}, the one that its CloudEvents name`, async () => {
        const receiver = await receiverFor(protocol);
        const target = { 'tracing-protocol': protocol, 'tracing-endpoint': receiver.endpoint };
        await edit(target, switchedTraces);
        const name = `traced-over-${protocol.slice(0, 4)}`;
        const run = await world.finish('TaskRun', name, { condition: 'False/Failed/no such image' });
        const { headers } = await run.told('failed');
        const [batch] = (await receiver.next()).spans;
        const [span] = batch?.items ?? [];
        expect(span).to.deep.include({ name, statusCode: 2 });
        expect(headers['ce-traceparent']).to.equal(`00-${span?.traceId}-${span?.spanId}-01`);
        expect((span?.endMs ?? 0) - (span?.startMs ?? 0)).to.equal(42_000);
      });
    }

    for (const protocol of protocols) {
      it(`sends spans over ${protocol} with TLS and the headers of the environment, and tells nobody of them`, async () => {
        const receiver = await starters[protocol]({ tls });
        receivers.push(receiver);
        const endpoint = `https://${receiver.endpoint}`;
        await edit({ 'tracing-protocol': protocol, 'tracing-endpoint': endpoint }, switchedTraces);
        await world.finish('TaskRun', `secured-over-${protocol.slice(0, 4)}`);
        const { headers, spans } = await receiver.next();
        expect(spans[0]?.items).to.have.length(1);
        expect(headers.authorization).to.equal('Bearer spec-token');
        expect(JSON.stringify(world.controller.lines)).not.to.include('spec-token');
      });
    }

    it('follows no run at a sampling rate of 0.0', async () => {
      await edit({ 'tracing-protocol': 'stdout' }, switchedTraces);
      await world.configure(map, { 'tracing-protocol': 'stdout', 'tracing-sampling-rate': '0.0' });
      const run = await world.finish('TaskRun', 'not-sampled');
      expect((await run.told('successful')).headers).not.to.have.property('ce-traceparent');
    });

    it("prints OTLP's JSON, one line a batch, for stdout", async () => {
      await world.configure(map, { 'tracing-protocol': 'stdout', 'tracing-sampling-rate': '1.0' });
      await world.finish('TaskRun', 'printed');
      await world.controller.printed(/"printed"[^\n]*\n/);
      const lines = world.controller.stdout().trim().split('\n');
      const names = lines.flatMap((line) => spanNames(JSON.parse(line)));
      expect(names).to.include('printed').and.not.include('not-sampled');
    });

    it('puts the span of a run behind its bucket in OpenMetrics, and not in text', async () => {
      await world.configure(map, { 'tracing-protocol': 'stdout', 'tracing-sampling-rate': '1.0' });
      const run = await world.finish('TaskRun', 'exemplary', { seconds: 4321 });
      const [, traceId, spanId] = String((await run.told('successful')).headers['ce-traceparent']).split('-');
      const exemplar = `# {trace_id="${traceId}",span_id="${spanId}"} 4321 `;
      expect(await world.scrape('application/openmetrics-text'))
        .to.match(/le="5400\.0"\} \d+ #/)
        .and.include(exemplar);
      expect(await world.scrape()).not.to.include('trace_id');
    });

    it('none sends no more, events name no span, and no bucket has one', async () => {
      await edit({}, switchedTraces);
      expect(await world.scrape('application/openmetrics-text')).not.to.include('trace_id');
      const run = await world.finish('TaskRun', 'not-traced');
      expect((await run.told('successful')).headers).not.to.have.property('ce-traceparent');
    });
  });

  describe('runtime-profiling', () => {
    const switched = 'runtime profiling switched';
    const profiles = async (path = '') => {
      const { profilingPort } = await world.controller.logged(({ msg }) => msg === 'listening');
      const { statusCode, body } = await request(`http://127.0.0.1:${profilingPort}/debug/pprof/${path}`);
      return { statusCode, bytes: Buffer.from(await body.arrayBuffer()) };
    };

    it('opens /debug/pprof/, and closes it at once in the middle of a profile', async () => {
      expect((await profiles()).statusCode).to.equal(404);
      await edit({ 'runtime-profiling': 'enabled' }, switched);
      expect((await profiles()).statusCode).to.equal(200);
      expect((await profiles('profile?seconds=1')).bytes.subarray(0, 2).toString('hex')).to.equal('1f8b');
      const cut = profiles('profile?seconds=300');
      await until(async () => (await profiles('profile?seconds=1')).statusCode === 429, {
        what: 'a profile under way',
      });
      await edit({}, switched);
      expect((await cut).statusCode).to.equal(503);
      expect((await profiles()).statusCode).to.equal(404);
    });
  });

  describe('runtime-export-interval', () => {
    const cpu = async () => /^process_cpu_seconds_total (.*)$/m.exec(await world.scrape())?.[1];

    it('says how old runtime metrics may be', async () => {
      await world.configure(map, { 'runtime-export-interval': '1h' });
      const old = await cpu();
      expect(await cpu()).to.equal(old);
      await world.configure(map, { 'runtime-export-interval': '100ms' });
      expect(await world.scrapeUntil((text) => !text.includes(`process_cpu_seconds_total ${old}\n`)))
        .to.include('nodejs_eventloop_lag_seconds')
        .and.include('nodejs_gc_duration_seconds_bucket');
    });
  });
});

function namedIn(metrics: readonly ReceivedMetric[], name: string): ReceivedMetric | undefined {
  return metrics.find((metric) => metric.name === svc.metricPrefix + name);
}

interface Printed {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly { name: string }[] }[];
  }[];
}

function spanNames({ resourceSpans }: Printed): string[] {
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(({ name }) => name)));
}
