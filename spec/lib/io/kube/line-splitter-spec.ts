import { expect } from 'chai';
import fc from 'fast-check';
import { createLineSplitter, type LineSplitter } from '../../../../lib/io/kube/line-splitter.ts';

function pushed(splitter: LineSplitter, chunk: Buffer): string[] {
  const lines: string[] = [];
  splitter.push(chunk, (bytes, start, end) => lines.push(bytes.toString('utf8', start, end)));
  return lines;
}

describe('createLineSplitter', () => {
  it('gives the same lines however the bytes are cut', () => {
    const texts = fc.array(fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', '')));
    fc.assert(
      fc.property(texts, fc.array(fc.nat(200)), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const at = [...cuts.map((cut) => Math.min(cut, bytes.length)), 0, bytes.length].sort((a, b) => a - b);
        const splitter = createLineSplitter(1_000_000);
        const got = at.flatMap((start, i) => pushed(splitter, bytes.subarray(start, at[i + 1])));
        expect(got).to.deep.equal(lines.map((line) => Buffer.from(line).toString()));
      }),
    );
  });

  it('joins a line of 3 MB that comes in many pieces once', () => {
    const line = 'é'.repeat(1_500_000);
    const bytes = Buffer.from(`${line}\nnext`);
    const splitter = createLineSplitter(16_000_000);
    const got: string[] = [];
    for (let start = 0; start < bytes.length; start += 1001)
      splitter.push(bytes.subarray(start, start + 1001), (piece, from, to) =>
        got.push(piece.toString('utf8', from, to)),
      );
    expect(got.map((text) => text.length)).to.deep.equal([1_500_000]);
    expect(got[0] === line).to.equal(true);
    expect(splitter.rest().toString()).to.equal('next');
  });

  it('refuses a line that is longer than its bound, whole or in pieces', () => {
    const sentence = 'expected lines of at most 8 bytes, got a longer one';
    const pieces = createLineSplitter(8);
    expect(pushed(pieces, Buffer.from('12345'))).to.deep.equal([]);
    expect(() => pushed(pieces, Buffer.from('6789'))).to.throw(RangeError, sentence);
    expect(() => pushed(createLineSplitter(8), Buffer.from('123456789\n'))).to.throw(RangeError, sentence);
    expect(pushed(createLineSplitter(8), Buffer.from('12345678\n'))).to.deep.equal(['12345678']);
  });
});
