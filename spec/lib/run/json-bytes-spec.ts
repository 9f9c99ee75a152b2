import { expect } from 'chai';
import fc from 'fast-check';
import { stringEnd, stringStop, wordsOf } from '../../../lib/run/json-bytes.ts';

// Quote and backslash, the bytes beside them, and the same with the highest bit: where a sum over four bytes may err.
const byte = fc.constantFrom(0x21, 0x22, 0x23, 0x5b, 0x5c, 0x5d, 0xa2, 0xdc, 0x00, 0x80, 0xff, 0x61);
const given = fc.tuple(fc.array(byte, { maxLength: 14 }), fc.nat(5), fc.nat(5));

describe('stringStop', () => {
  it('finds the first quote or backslash, and nothing outside of its borders', () => {
    fc.assert(
      fc.property(given, ([inside, before, behind]) => {
        // Within other bytes: a view that begins elsewhere would show.
        const [left, right] = [Buffer.alloc(before, '"'), Buffer.alloc(behind, '\\')];
        const bytes = Buffer.concat([left, Buffer.from(inside), right]).subarray(before > 0 ? 1 : 0);
        const start = Math.max(0, before - 1);
        const found = inside.findIndex((one) => one === 0x22 || one === 0x5c);
        const want = start + (found === -1 ? inside.length : found);
        expect(stringStop(bytes, wordsOf(bytes), start, start + inside.length)).to.equal(want);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('stringEnd', () => {
  const table = [
    { text: '"', end: 1 },
    { text: 'four"', end: 5 },
    { text: '\\"five"', end: 7 },
    { text: 'long\\\\"', end: 7 },
    { text: '', end: 1 },
    { text: 'cut', end: 4 },
    { text: 'cut\\', end: 6 },
    { text: 'cut\\\\', end: 6 },
  ];
  for (const { text, end } of table) {
    it(`of ${text || 'nothing'} is ${end}`, () => {
      const bytes = Buffer.from(text);
      expect(stringEnd(bytes, wordsOf(bytes), 0, bytes.length)).to.equal(end);
    });
  }
});
