import { expect } from 'chai';
import fc from 'fast-check';
import { defaultSettings } from '../../config/default-settings.ts';
import { describeKeys } from '../../config/describe-keys.ts';
import { knownData } from '../../config/known-data.ts';
import { parseMap } from '../../config/parse-map.ts';
import type { MapName } from '../../config/settings.ts';
import { profiles } from '../../lib/profile.ts';

const { svc, tekton } = profiles;

function problems(name: MapName, data: Record<string, unknown>, profile = svc): readonly string[] {
  const parsed = parseMap(name, data, profile);
  return parsed.ok ? [] : parsed.problems;
}

const warnings = (name: MapName, data: Record<string, unknown>, profile = svc) =>
  parseMap(name, data, profile).warnings;

describe('parseMap', () => {
  it('reads every key of config-observability', () => {
    const parsed = parseMap(
      'config-observability',
      {
        'metrics-protocol': 'grpc',
        'metrics-endpoint': 'collector:4317',
        'metrics-export-interval': '30s',
        'metrics.taskrun.level': 'namespace',
        'metrics.taskrun.duration-type': 'lastvalue',
        'metrics.pipelinerun.level': 'pipelinerun',
        'metrics.pipelinerun.duration-type': 'lastvalue',
        'metrics.running-pipelinerun.level': 'pipeline',
        'metrics.count.enable-reason': 'true',
        'metrics.taskrun.throttle.enable-namespace': 'true',
        'metrics.series-limit': '500',
        'metrics.otlp.histogram-aggregation': 'base2_exponential_bucket_histogram',
        'tracing-protocol': 'http/protobuf',
        'tracing-endpoint': 'https://collector:4318',
        'tracing-sampling-rate': '0.5',
        'runtime-profiling': 'enabled',
        'runtime-export-interval': '1m30s',
      },
      svc,
    );
    expect(parsed).to.deep.equal({
      ok: true,
      warnings: [],
      value: {
        metricsProtocol: 'grpc',
        metricsEndpoint: 'collector:4317',
        metricsExportIntervalMs: 30_000,
        taskrunLevel: 'namespace',
        taskrunDurationType: 'lastvalue',
        pipelinerunLevel: 'pipelinerun',
        pipelinerunDurationType: 'lastvalue',
        runningPipelinerunLevel: 'pipeline',
        countEnableReason: true,
        throttleEnableNamespace: true,
        seriesLimit: 500,
        histogramAggregation: 'base2_exponential_bucket_histogram',
        tracingProtocol: 'http/protobuf',
        tracingEndpoint: 'https://collector:4318',
        tracingSamplingRate: 0.5,
        runtimeProfiling: true,
        runtimeExportIntervalMs: 90_000,
      },
    });
  });

  it('takes the defaults of the interface for a map without data', () => {
    const parsed = parseMap('config-observability', undefined, svc);
    expect(parsed).to.deep.equal({
      ok: true,
      warnings: [],
      value: {
        metricsProtocol: 'prometheus',
        metricsEndpoint: undefined,
        metricsExportIntervalMs: undefined,
        taskrunLevel: 'task',
        taskrunDurationType: 'histogram',
        pipelinerunLevel: 'pipeline',
        pipelinerunDurationType: 'histogram',
        runningPipelinerunLevel: '',
        countEnableReason: false,
        throttleEnableNamespace: false,
        seriesLimit: 10_000,
        histogramAggregation: 'explicit_bucket_histogram',
        tracingProtocol: 'none',
        tracingEndpoint: undefined,
        tracingSamplingRate: 1,
        runtimeProfiling: false,
        runtimeExportIntervalMs: 15_000,
      },
    });
  });

  it('has the same defaults for all four maps together', () => {
    const { 'config-observability': observability, ...others } = defaultSettings(svc);
    expect(parseMap('config-observability', {}, svc)).to.deep.include({ value: observability });
    expect(others).to.deep.equal({
      'config-events': { formats: ['svcv1'], sink: undefined },
      'config-defaults': { defaultCloudEventsSink: undefined },
      'feature-flags': { sendCloudEventsForRuns: false },
    });
  });

  it('names every problem at once, in the order of the table', () => {
    const data = {
      'metrics.series-limit': '99',
      'tracing-sampling-rate': '1.5',
      'metrics.count.enable-reason': 'False',
      'runtime-export-interval': '5x',
      'metrics.taskrun.level': 'pod',
      'metrics-protocol': 'grpc',
      'runtime-profiling': 'true',
    };
    expect(problems('config-observability', data)).to.deep.equal([
      'metrics.taskrun.level: expected taskrun | task | namespace, got "pod"',
      'metrics.count.enable-reason: expected true | false, got "False"',
      'metrics.series-limit: expected a whole number from 100 to 1000000, got "99"',
      'tracing-sampling-rate: expected a decimal from 0.0 to 1.0, got "1.5"',
      'runtime-profiling: expected enabled | disabled, got "true"',
      'runtime-export-interval: expected a duration such as 30s, 1m30s or 500ms, from 100ms to 24h, got "5x"',
      'metrics-endpoint: expected host:port, http://host:port or https://host:port because metrics-protocol is grpc, got nothing',
    ]);
  });

  it('says of a wrong endpoint only that it is wrong, not that it is missing', () => {
    expect(
      problems('config-observability', { 'tracing-protocol': 'grpc', 'tracing-endpoint': 'collector' }),
    ).to.deep.equal(['tracing-endpoint: expected host:port, http://host:port or https://host:port, got "collector"']);
  });

  for (const protocol of ['grpc', 'http/protobuf']) {
    it(`needs an endpoint for ${protocol}, also when it is empty`, () => {
      const data = { 'metrics-protocol': protocol, 'tracing-protocol': protocol, 'tracing-endpoint': '' };
      const wanted = 'host:port, http://host:port or https://host:port';
      expect(problems('config-observability', data)).to.deep.equal([
        `metrics-endpoint: expected ${wanted} because metrics-protocol is ${protocol}, got nothing`,
        `tracing-endpoint: expected ${wanted} because tracing-protocol is ${protocol}, got nothing`,
      ]);
    });
  }

  it('takes an empty endpoint, interval and sink as left out', () => {
    const empty = {
      'metrics-endpoint': '',
      'metrics-export-interval': '',
      'tracing-endpoint': '',
      'runtime-export-interval': '',
    };
    expect(parseMap('config-observability', empty, svc)).to.deep.equal(parseMap('config-observability', {}, svc));
    expect(parseMap('config-events', { sink: '' }, svc)).to.deep.equal(parseMap('config-events', {}, svc));
    expect(parseMap('config-defaults', { 'default-cloud-events-sink': '' }, svc)).to.deep.equal(
      parseMap('config-defaults', {}, svc),
    );
  });

  it('refuses an empty text for every other key', () => {
    const empty = Object.fromEntries(
      describeKeys(svc)
        .filter(({ map }) => map === 'config-observability')
        .map(({ key }) => [key, '']),
    );
    expect(problems('config-observability', empty).map((problem) => problem.split(':')[0])).to.deep.equal([
      'metrics-protocol',
      'metrics.taskrun.level',
      'metrics.taskrun.duration-type',
      'metrics.pipelinerun.level',
      'metrics.pipelinerun.duration-type',
      'metrics.count.enable-reason',
      'metrics.taskrun.throttle.enable-namespace',
      'metrics.series-limit',
      'metrics.otlp.histogram-aggregation',
      'tracing-protocol',
      'tracing-sampling-rate',
      'runtime-profiling',
    ]);
  });

  it('refuses empty and foreign formats', () => {
    expect(problems('config-events', { formats: '' })).to.deep.equal([
      'formats: expected a comma-separated list of svcv1, got ""',
    ]);
    expect(problems('config-events', { formats: 'svcv1,svcv2' })).to.have.length(1);
    expect(problems('config-events', { formats: 'svcv1' }, tekton)).to.have.length(1);
    expect(problems('config-events', { formats: ' tektonv1 ,tektonv1' }, tekton)).to.deep.equal([]);
  });

  it('keeps a sink as written, with its credentials', () => {
    const sink = 'https://user:secret@broker.example/runs?token=1';
    expect(parseMap('config-events', { sink }, svc)).to.deep.equal({
      ok: true,
      value: { formats: ['svcv1'], sink },
      warnings: [],
    });
  });

  it('warns of the deprecated sink when it is set', () => {
    expect(warnings('config-defaults', { 'default-cloud-events-sink': 'http://sink' })).to.deep.equal([
      'default-cloud-events-sink: deprecated and to be removed, set sink in config-events instead',
    ]);
    expect(warnings('config-defaults', { 'default-cloud-events-sink': '' })).to.deep.equal([]);
  });

  it('reads the flag for CustomRuns strictly', () => {
    expect(parseMap('feature-flags', { 'send-cloudevents-for-runs': 'true' }, svc)).to.deep.include({
      value: { sendCloudEventsForRuns: true },
    });
    expect(problems('feature-flags', { 'send-cloudevents-for-runs': 'yes' })).to.deep.equal([
      'send-cloudevents-for-runs: expected true | false, got "yes"',
    ]);
  });

  it('ignores _example and warns of unknown keys with the nearest known name', () => {
    const data = { _example: 'metrics.taskrun.level: pod', 'metrics.taskrun.levle': 'task', 'zipkin-url': 'x' };
    expect(parseMap('config-observability', data, svc).ok).to.equal(true);
    expect(warnings('config-observability', data)).to.deep.equal([
      'metrics.taskrun.levle: unknown key, did you mean metrics.taskrun.level?',
      'zipkin-url: unknown key',
    ]);
    expect(warnings('config-events', { sinc: 'x' })).to.deep.equal(['sinc: unknown key, did you mean sink?']);
  });

  it('says nothing about the keys that the executing system keeps in the same maps', () => {
    const flags = { 'enable-api-fields': 'beta', 'send-cloudevents-for-run': 'true' };
    expect(warnings('feature-flags', flags)).to.deep.equal([
      'send-cloudevents-for-run: unknown key, did you mean send-cloudevents-for-runs?',
    ]);
    expect(
      warnings('config-defaults', { 'default-timeout-minutes': '60', 'default-service-account': 'x' }),
    ).to.deep.equal([]);
  });

  it('warns of at most 20 unknown keys and counts the rest', () => {
    const data = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`zzzzzz${index}`, 'x']));
    const given = warnings('config-events', data);
    expect(given).to.have.length(21);
    expect(given[20]).to.equal('980 more unknown keys');
  });

  for (const [what, level] of [
    ['taskrun', 'taskrun'],
    ['pipelinerun', 'pipelinerun'],
  ] as const) {
    it(`notices a histogram that is chosen for single ${what}s`, () => {
      const data = { [`metrics.${what}.level`]: level, [`metrics.${what}.duration-type`]: 'histogram' };
      const notice = `metrics.${what}.duration-type: histogram is not available at metrics.${what}.level ${level}, a gauge with the last duration is used`;
      expect(warnings('config-observability', data)).to.deep.equal([notice]);
      expect(warnings('config-observability', data, tekton)).to.deep.equal([]);
      expect(warnings('config-observability', { [`metrics.${what}.level`]: level })).to.deep.equal([]);
      expect(warnings('config-observability', { ...data, [`metrics.${what}.level`]: 'namespace' })).to.deep.equal([]);
    });
  }

  it('asks for quotes where YAML made something else of a text', () => {
    const data = { sink: 5, formats: ['svcv1'], other: true, further: { a: 1 }, empty: null };
    expect(problems('config-events', data)).to.deep.equal([
      'formats: expected a text in quotes, got a list',
      'sink: expected a text in quotes, got the number 5',
      'other: expected a text in quotes, got the boolean true',
      'further: expected a text in quotes, got a mapping',
      'empty: expected a text in quotes, got nothing',
    ]);
  });

  it('never throws and never repeats a sink, whatever the data', () => {
    const keys = fc.constantFrom('sink', 'formats', '__proto__', 'constructor', 'toString', 'sinkk');
    fc.assert(
      fc.property(fc.array(fc.tuple(keys, fc.oneof(fc.webUrl(), fc.anything()))), (entries) => {
        const data = Object.fromEntries(
          entries.map(([key, value]) => [key, typeof value === 'string' ? `s3cr3t@${value}` : value]),
        );
        const parsed = parseMap('config-events', data, svc);
        expect(JSON.stringify([parsed.ok ? [] : parsed.problems, parsed.warnings])).not.to.contain('s3cr3t');
      }),
    );
  });
});

describe('the keys as data', () => {
  for (const { map, key, example, allowed, ...row } of describeKeys(svc)) {
    it(`${key} has a default and an example of ${allowed}`, () => {
      const endpoints = { 'metrics-endpoint': 'a:1', 'tracing-endpoint': 'a:1' };
      for (const text of [row.default, example]) {
        expect(
          problems(map, map === 'config-observability' ? { ...endpoints, [key]: text } : { [key]: text }),
        ).to.deep.equal([]);
      }
      expect(example).not.to.equal(row.default);
      expect(row.doc).to.match(/\.$/);
    });
  }

  it('keeps only known texts as the last good text', () => {
    const data = { sink: 'http://sink', formats: 5, other: 'x', _example: 'y' };
    expect(knownData('config-events', data)).to.deep.equal({ sink: 'http://sink' });
  });
});
