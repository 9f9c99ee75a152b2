import { expect } from 'chai';
import {
  type Format,
  formatBound,
  formatHeader,
  formatLabels,
  formatLine,
  formatValue,
  histogramWriter,
} from '../../../lib/metrics/exposition.ts';

describe('exposition', () => {
  const values: readonly [number, string][] = [
    [0, '0'],
    [1.5, '1.5'],
    [-3, '-3'],
    [1e21, '1e+21'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, '+Inf'],
    [Number.NEGATIVE_INFINITY, '-Inf'],
  ];
  for (const [value, want] of values) {
    it(`writes the value ${want}`, () => {
      expect(formatValue(value)).to.equal(want);
    });
  }

  const bounds: readonly [number, Format, string][] = [
    [10, 'text', '10'],
    [10, 'openmetrics', '10.0'],
    [0.5, 'openmetrics', '0.5'],
    [Number.POSITIVE_INFINITY, 'openmetrics', '+Inf'],
  ];
  for (const [bound, format, want] of bounds) {
    it(`writes the bound ${want} in ${format}`, () => {
      expect(formatBound(bound, format)).to.equal(want);
    });
  }

  it('escapes backslash, quote and newline in label values', () => {
    expect(formatLabels({ a: 'C:\\x', b: 'say "hi"', c: 'one\ntwo', d: 'plain', e: 1 })).to.equal(
      'a="C:\\\\x",b="say \\"hi\\"",c="one\\ntwo",d="plain",e="1"',
    );
  });

  it('leaves out labels without a value', () => {
    expect(formatLabels({ a: undefined, b: 'x' })).to.equal('b="x"');
  });

  it('escapes HELP, quotes in OpenMetrics only', () => {
    const family = { name: 'm', type: 'gauge', help: 'a \\ b\n"c"' };
    expect(formatHeader(family, 'text')).to.equal('# HELP m a \\\\ b\\n"c"\n# TYPE m gauge\n');
    expect(formatHeader(family, 'openmetrics')).to.equal('# HELP m a \\\\ b\\n\\"c\\"\n# TYPE m gauge\n');
  });

  const counters: readonly { name: string; format: Format; family: string; sample: string }[] = [
    { name: 'runs_total', format: 'text', family: 'runs_total', sample: 'runs_total' },
    { name: 'runs_total', format: 'openmetrics', family: 'runs', sample: 'runs_total' },
    { name: 'runs', format: 'openmetrics', family: 'runs', sample: 'runs_total' },
    { name: 'runs', format: 'text', family: 'runs', sample: 'runs' },
  ];
  for (const { name, format, family, sample } of counters) {
    it(`calls the counter ${name} ${family} and its sample ${sample} in ${format}`, () => {
      const counter = { name, type: 'counter', help: 'Runs.' };
      expect(formatHeader(counter, format)).to.equal(`# HELP ${family} Runs.\n# TYPE ${family} counter\n`);
      expect(formatLine(counter, { labels: {}, value: 2 }, format)).to.equal(`${sample} 2\n`);
    });
  }

  it('writes a line of a family under its own name, the bound in the format of the page', () => {
    const family = { name: 'm', type: 'histogram', help: 'M.' };
    const line = { name: 'm_bucket', labels: { kind: 'minor', le: 1 }, value: 3 };
    expect(formatLine(family, line, 'text')).to.equal('m_bucket{kind="minor",le="1"} 3\n');
    expect(formatLine(family, line, 'openmetrics')).to.equal('m_bucket{kind="minor",le="1.0"} 3\n');
  });

  it('writes a histogram with cumulative buckets', () => {
    const write = histogramWriter('m', [1, 5], 'text');
    expect(write({ labels: { task: 'a' }, bucketValues: { 1: 2, 5: 1 }, sum: 9.5, count: 4 })).to.equal(
      [
        'm_bucket{task="a",le="1"} 2',
        'm_bucket{task="a",le="5"} 3',
        'm_bucket{task="a",le="+Inf"} 4',
        'm_sum{task="a"} 9.5',
        'm_count{task="a"} 4',
        '',
      ].join('\n'),
    );
  });

  it('writes a histogram without labels, its bounds as floats in OpenMetrics', () => {
    const write = histogramWriter('m', [1], 'openmetrics');
    expect(write({ labels: {}, bucketValues: {}, sum: 0, count: 0 })).to.equal(
      'm_bucket{le="1.0"} 0\nm_bucket{le="+Inf"} 0\nm_sum 0\nm_count 0\n',
    );
  });
});
