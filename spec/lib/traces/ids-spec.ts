import { expect } from 'chai';
import fc from 'fast-check';
import { sha256Hex } from '../../../lib/io/otlp/sha256-hex.ts';
import { spanIdOf, traceIdOf } from '../../../lib/traces/ids.ts';
import { isSampled } from '../../../lib/traces/is-sampled.ts';
import { formatTraceparent, readTraceparent } from '../../../lib/traces/span-context.ts';

describe('traceIdOf and spanIdOf', () => {
  it('say the same of the same uid for all time', () => {
    expect(traceIdOf('u1', sha256Hex)).to.equal(sha256Hex('trace u1').slice(0, 32));
    expect(spanIdOf('u1', sha256Hex)).to.equal('80074f1e1020d45b');
    expect(spanIdOf('u1', sha256Hex, 'test')).to.not.equal(spanIdOf('u1', sha256Hex));
  });

  it('are never all zeros', () => {
    const zeros = () => '0'.repeat(64);
    expect(traceIdOf('u1', zeros)).to.equal(`${'0'.repeat(31)}1`);
    expect(spanIdOf('u1', zeros)).to.equal(`${'0'.repeat(15)}1`);
  });
});

describe('isSampled', () => {
  const traces = Array.from({ length: 2000 }, (_, index) => traceIdOf(`u${index}`, sha256Hex));

  it('keeps all at 1, none at 0, and about the rate between', () => {
    expect(traces.every((id) => isSampled(id, 1))).to.equal(true);
    expect(traces.some((id) => isSampled(id, 0))).to.equal(false);
    expect(isSampled('f'.repeat(32), 0)).to.equal(false);
    expect(isSampled('0'.repeat(32), 1)).to.equal(true);
    expect(traces.filter((id) => isSampled(id, 0.1)).length).to.be.within(150, 250);
  });

  it('keeps at a higher rate what it keeps at a lower one', () => {
    const rates = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(fc.constantFrom(...traces), rates, (id, [a, b]) => {
        if (isSampled(id, Math.min(a, b))) expect(isSampled(id, Math.max(a, b))).to.equal(true);
      }),
    );
  });
});

describe('readTraceparent', () => {
  const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const rows: readonly { text: string; want: object | undefined }[] = [
    { text: `00-${traceId}-${spanId}-01`, want: { traceId, spanId, sampled: true } },
    { text: ` 00-${traceId}-${spanId}-00 `, want: { traceId, spanId, sampled: false } },
    { text: `00-${traceId}-${spanId}-03`, want: { traceId, spanId, sampled: true } },
    { text: `01-${traceId}-${spanId}-01-more`, want: { traceId, spanId, sampled: true } },
    { text: `00-${traceId}-${spanId}-01-more`, want: undefined },
    { text: `ff-${traceId}-${spanId}-01`, want: undefined },
    { text: `00-${traceId.toUpperCase()}-${spanId}-01`, want: undefined },
    { text: `00-${'0'.repeat(32)}-${spanId}-01`, want: undefined },
    { text: `00-${traceId}-${'0'.repeat(16)}-01`, want: undefined },
    { text: '', want: undefined },
  ];
  for (const { text, want } of rows) {
    it(`reads "${text}" as ${want === undefined ? 'none' : 'one'}`, () => {
      expect(readTraceparent(text)).to.deep.equal(want);
    });
  }

  it('reads what formatTraceparent writes', () => {
    for (const sampled of [true, false]) {
      expect(readTraceparent(formatTraceparent({ traceId, spanId, sampled }))).to.deep.equal({
        traceId,
        spanId,
        sampled,
      });
    }
  });
});
