import { expect } from 'chai';
import fc from 'fast-check';
import { bytes } from '../../config/formats/bytes.ts';
import { duration, durationText } from '../../config/formats/duration.ts';
import { endpoint } from '../../config/formats/endpoint.ts';
import type { Format } from '../../config/formats/format.ts';
import { listOf } from '../../config/formats/list-of.ts';
import { oneOf } from '../../config/formats/one-of.ts';
import { orUnset } from '../../config/formats/or-unset.ts';
import { problemOf } from '../../config/formats/problem-of.ts';
import { rate } from '../../config/formats/rate.ts';
import { sinkUrl } from '../../config/formats/sink-url.ts';
import { text } from '../../config/formats/text.ts';
import { truth } from '../../config/formats/truth.ts';
import { whole } from '../../config/formats/whole.ts';

interface Table {
  readonly name: string;
  readonly format: Format<unknown>;
  readonly reads: readonly (readonly [string, unknown])[];
  readonly refuses: readonly string[];
}

const same = (...texts: string[]) => texts.map((each) => [each, each] as const);

const tables: readonly Table[] = [
  {
    name: 'duration',
    format: duration({ minMs: 100, maxMs: 86_400_000 }),
    reads: [
      ['30s', 30_000],
      ['1m30s', 90_000],
      ['500ms', 500],
      ['100ms', 100],
      ['24h', 86_400_000],
      ['1h1m1s1ms', 3_661_001],
      ['90s', 90_000],
      ['010s', 10_000],
    ],
    refuses: [
      '',
      '30',
      '5x',
      '-30s',
      '+30s',
      '1.5s',
      '30 s',
      '30S',
      '1s1m',
      '1s1s',
      '0s',
      '99ms',
      '24h1ms',
      ' 30s',
      '30s\n',
    ],
  },
  {
    name: 'rate',
    format: rate,
    reads: [
      ['0', 0],
      ['0.0', 0],
      ['0.25', 0.25],
      ['1', 1],
      ['1.0', 1],
    ],
    refuses: ['', '1.5', '1.01', '-0.1', '.5', '1e-1', '0,5', '50%', '0.', 'NaN', ' 1'],
  },
  {
    name: 'truth',
    format: truth,
    reads: [
      ['true', true],
      ['false', false],
    ],
    refuses: ['', 'True', 'False', 'TRUE', 'yes', 'no', '1', '0', 'on', 'toString', ' true'],
  },
  {
    name: 'whole',
    format: whole({ min: 0, max: 65_535 }),
    reads: [
      ['0', 0],
      ['9090', 9090],
      ['65535', 65_535],
    ],
    refuses: ['', '65536', '-1', '5x', '1.0', '1e3', '0x10', '09', ' 1', '99999999999999999999'],
  },
  {
    name: 'bytes',
    format: bytes({ min: '1KiB', max: '1GiB' }),
    reads: [
      ['1024', 1024],
      ['1KiB', 1024],
      ['256MiB', 268_435_456],
      ['1GiB', 1_073_741_824],
    ],
    refuses: ['', '1023', '2GiB', '256MB', '256 MiB', '-1MiB', '1.5MiB', '0'],
  },
  {
    name: 'endpoint',
    format: endpoint,
    reads: same(
      'collector:4317',
      'collector.observability.svc:4317',
      '10.0.0.1:4317',
      'http://collector:4318',
      'https://collector:4318',
      '[::1]:4317',
      'https://[fd00::1]:4317',
    ),
    refuses: [
      '',
      'collector',
      'collector:',
      ':4317',
      'collector:0',
      'collector:65536',
      'collector:port',
      'ftp://collector:4317',
      'http://collector',
      'http://collector:4318/v1/metrics',
      'user:password@collector:4317',
      '::1:4317',
      '[::1',
      '[:::::]:4317',
      '999.0.0.1:4317',
      'a b:1',
    ],
  },
  {
    name: 'sinkUrl',
    format: sinkUrl,
    reads: same(
      'http://sink',
      'https://sink.example/path?query=1',
      'http://user:password@sink:8080/',
      'http://[::1]:8080',
      'HTTPS://Sink.Example/',
    ),
    refuses: [
      '',
      'sink',
      'sink:8080',
      '/path',
      '//sink',
      'http:sink',
      'http://',
      'http:///path',
      'ftp://sink',
      'http://a b',
      ' http://sink',
      'http://sink\n',
      'http://sink:99999',
      'http://[::1',
    ],
  },
  {
    name: 'listOf',
    format: listOf(oneOf('a', 'b')),
    reads: [
      ['a', ['a']],
      ['b,a', ['b', 'a']],
      [' a , b ,a', ['a', 'b']],
    ],
    refuses: ['', ' ', 'c', 'a,', ',a', 'a,,b', 'a;b'],
  },
  {
    name: 'oneOf with the empty word',
    format: oneOf('pipeline', ''),
    reads: same('pipeline', ''),
    refuses: ['Pipeline', ' ', 'pipelinerun'],
  },
  {
    name: 'orUnset',
    format: orUnset(rate),
    reads: [
      ['', undefined],
      ['0.5', 0.5],
    ],
    refuses: [' ', 'none'],
  },
  { name: 'text', format: text('a word', /^\w+$/), reads: same('word'), refuses: ['', 'two words'] },
];

describe('formats', () => {
  for (const { name, format, reads, refuses } of tables) {
    for (const [given, value] of reads) {
      it(`${name} reads ${JSON.stringify(given)}`, () => {
        expect(format.parse(given)).to.deep.equal({ value });
      });
    }
    for (const given of refuses) {
      it(`${name} refuses ${JSON.stringify(given)}`, () => {
        expect(format.parse(given)).to.equal(undefined);
      });
    }
  }

  it('reads every duration back from its text', () => {
    const format = duration({ minMs: 1, maxMs: 1e10 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e10 }), (ms) => {
        expect(format.parse(durationText(ms))).to.deep.equal({ value: ms });
      }),
    );
    expect(durationText(0)).to.equal('0s');
  });
});

describe('problemOf', () => {
  const rows = [
    {
      format: oneOf('taskrun', 'task', 'namespace'),
      given: 'pod',
      want: 'k: expected taskrun | task | namespace, got "pod"',
    },
    { format: oneOf('a', ''), given: 'b', want: 'k: expected a | "" (empty), got "b"' },
    { format: truth, given: 'a"\n', want: 'k: expected true | false, got "a\\"\\n"' },
    { format: truth, given: 'x'.repeat(81), want: `k: expected true | false, got "${'x'.repeat(80)}…"` },
    {
      format: truth,
      given: 'https://user:secret@sink',
      want: 'k: expected true | false, got a text of 24 characters that may hold credentials',
    },
    {
      format: whole({ min: 1, max: 9, what: 'a digit' }),
      given: '5x',
      want: 'k: expected a digit from 1 to 9, got "5x"',
    },
    {
      format: duration({ minMs: 100, maxMs: 90_000 }),
      given: '0s',
      want: 'k: expected a duration such as 30s, 1m30s or 500ms, from 100ms to 1m30s, got "0s"',
    },
    {
      format: endpoint,
      given: 'http://collector/v1',
      want: 'k: expected host:port, http://host:port or https://host:port, got "http://collector/v1"',
    },
    {
      format: endpoint,
      given: 'me:secret@collector:1',
      want: 'k: expected host:port, http://host:port or https://host:port, got a text of 21 characters that may hold credentials',
    },
  ];
  for (const { format, given, want } of rows) {
    it(`says ${want}`, () => {
      expect(problemOf('k', format, given)).to.equal(want);
    });
  }

  const sinks = [
    { given: 'secret host', got: 'a text with white space in it' },
    { given: '/secret', got: 'a path without a scheme and host' },
    { given: 'https://user:secret@[', got: 'one that cannot be read as a URL' },
    { given: 'kafka://user:secret@broker', got: 'a URL with another scheme' },
    { given: 'user:secret@broker', got: 'a text that is no URL' },
  ];
  for (const { given, got } of sinks) {
    it(`says of a sink only that it is ${got}`, () => {
      expect(problemOf('sink', sinkUrl, given)).to.equal(
        `sink: expected an absolute http:// or https:// URL, got ${got}`,
      );
    });
  }

  it('never repeats a secret of a sink', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const problem = problemOf('sink', orUnset(sinkUrl), `${before}s3cr3t${after}`);
        expect(problem).not.to.contain('s3cr3t');
      }),
    );
  });
});
