import { expect } from 'chai';
import { otlpJson } from '../../../lib/traces/otlp-json.ts';
import { span } from '../../support/spans.ts';

const scope = { name: 'controller', version: '1' };

describe('otlpJson', () => {
  it('writes a span as the JSON mapping of OTLP has it', () => {
    const given = span({
      parentSpanId: 'fedcba9876543210',
      attributes: { text: 'a', whole: 3, half: 0.5, yes: true },
      events: [{ name: 'Running', timeMs: Date.parse('2026-01-01T00:00:01Z'), attributes: {} }],
      droppedEvents: 2,
      status: { code: 'error', message: 'no' },
    });
    expect(otlpJson([given], { resource: { 'service.name': 'controller' }, scope })).to.deep.equal({
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'controller' } }] },
          scopeSpans: [
            {
              scope,
              spans: [
                {
                  traceId: '0123456789abcdef0123456789abcdef',
                  spanId: '0123456789abcdef',
                  parentSpanId: 'fedcba9876543210',
                  name: 'build',
                  kind: 1,
                  startTimeUnixNano: '1767225600000000000',
                  endTimeUnixNano: '1767225605000000000',
                  attributes: [
                    { key: 'text', value: { stringValue: 'a' } },
                    { key: 'whole', value: { intValue: '3' } },
                    { key: 'half', value: { doubleValue: 0.5 } },
                    { key: 'yes', value: { boolValue: true } },
                  ],
                  events: [{ timeUnixNano: '1767225601000000000', name: 'Running', attributes: [] }],
                  droppedEventsCount: 2,
                  status: { code: 2, message: 'no' },
                },
              ],
            },
          ],
        },
      ],
    });
  });

  it('leaves out the parent of a root and the message of what went well', () => {
    const json = JSON.stringify(otlpJson([span({ status: { code: 'ok' } }), span()], { resource: {}, scope }));
    expect(json).to.not.include('parentSpanId');
    expect(json).to.include('"status":{"code":1}').and.include('"status":{"code":0}');
  });
});
