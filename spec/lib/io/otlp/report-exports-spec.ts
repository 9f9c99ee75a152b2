import { diag } from '@opentelemetry/api';
import { globalErrorHandler } from '@opentelemetry/core';
import { expect } from 'chai';
import { exportProblem } from '../../../../lib/io/otlp/export-problem.ts';
import { reportExports } from '../../../../lib/io/otlp/report-exports.ts';
import { routeDiagnostics } from '../../../../lib/io/otlp/route-diagnostics.ts';
import { unitOf } from '../../../../lib/io/otlp/unit-of.ts';
import { recordedLog } from '../../../support/recorded-log.ts';

describe('reportExports', () => {
  it('says trouble once, its repetition as debug, another trouble again, and its end', () => {
    const log = recordedLog();
    const report = reportExports('metrics', log);
    const fail = (problem: string) => report({ ok: false, problem, retryable: true });
    report({ ok: true, items: 1 });
    fail('answered 503');
    fail('answered 503');
    fail('answered 401');
    report({ ok: true, items: 1 });
    report({ ok: true, items: 1 });
    const sentence = 'an export failed; the next interval tries again';
    expect(log.lines).to.deep.equal([
      { level: 'warn', fields: { signal: 'metrics', problem: 'answered 503', failures: 1 }, sentence },
      { level: 'debug', fields: { signal: 'metrics', problem: 'answered 503', failures: 2 }, sentence },
      { level: 'warn', fields: { signal: 'metrics', problem: 'answered 401', failures: 3 }, sentence },
      { level: 'info', fields: { signal: 'metrics', failures: 3 }, sentence: 'exports go through again' },
    ]);
  });
});

describe('exportProblem', () => {
  const coded = (code: unknown) => Object.assign(new Error('secret'), { code });
  const rows = [
    { error: coded('ECONNREFUSED'), problem: 'no connection (ECONNREFUSED)', retryable: true },
    { error: coded(503), problem: 'answered 503', retryable: true },
    { error: coded(400), problem: 'answered 400', retryable: false },
    { error: coded(14), problem: 'answered UNAVAILABLE', retryable: true },
    { error: coded(12), problem: 'answered UNIMPLEMENTED', retryable: false },
    { error: coded(6), problem: 'answered code 6', retryable: false },
    { error: new Error('secret'), problem: 'no answer in time, or told to try later', retryable: true },
    { error: undefined, problem: 'no answer in time, or told to try later', retryable: true },
  ];
  for (const { error, problem, retryable } of rows) {
    it(`says "${problem}" and nothing of the message`, () => {
      expect(exportProblem(error)).to.deep.equal({ ok: false, problem, retryable });
    });
  }
});

describe('routeDiagnostics', () => {
  afterEach(() => diag.disable());

  it('sends what OpenTelemetry says to the log: debug, but for what a receiver did not take', () => {
    const log = recordedLog();
    routeDiagnostics(log);
    diag.error('metrics export threw', new Error('broken'));
    diag.info('not worth a line');
    globalErrorHandler(new Error('export failed'));
    diag.warn('Received Partial Success response:', '{"rejectedSpans":2}');
    diag.warn('Received Partial Success response:', '{"rejectedSpans":2}');
    const partial = 'Received Partial Success response: {"rejectedSpans":2}';
    expect(log.lines.map(({ level, fields }) => [level, fields.said])).to.deep.equal([
      ['debug', 'metrics export threw broken'],
      ['debug', 'export failed'],
      ['warn', partial],
      ['debug', partial],
    ]);
  });
});

describe('unitOf', () => {
  const rows = [
    { name: 'x_taskrun_duration_seconds', type: 'histogram', unit: 's' },
    { name: 'process_cpu_seconds_total', type: 'counter', unit: 's' },
    { name: 'process_resident_memory_bytes', type: 'gauge', unit: 'By' },
    { name: 'svc_pipelines_controller_client_latency', type: 'histogram', unit: 'ms' },
    { name: 'x_taskrun_total', type: 'counter', unit: '1' },
    { name: 'x_running_taskruns', type: 'gauge', unit: '' },
    { name: 'x_hit_ratio', type: 'gauge', unit: '1' },
  ] as const;
  for (const { name, type, unit } of rows) {
    it(`is "${unit}" for the ${type} ${name}`, () => expect(unitOf(name, type)).to.equal(unit));
  }
});
