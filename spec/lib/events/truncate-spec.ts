import { expect } from 'chai';
import fc from 'fast-check';
import { truncateBytes } from '../../../lib/events/truncate.ts';

describe('truncateBytes', () => {
  const rows = [
    { text: 'short', max: 10, want: 'short' },
    { text: 'exactly ten', max: 11, want: 'exactly ten' },
    { text: 'exactly eleven', max: 11, want: 'exactly ...' },
    { text: 'ééééé', max: 10, want: 'ééééé' },
    { text: 'éééééé', max: 10, want: 'ééé...' },
    { text: '😀😀😀', max: 10, want: '😀...' },
  ];
  for (const { text, max, want } of rows) {
    it(`makes ${want} of ${text}`, () => expect(truncateBytes(text, max)).to.equal(want));
  }

  it('never passes the limit nor halves a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 3, max: 40 }), (text, max) => {
        const cut = truncateBytes(text, max);
        expect(new TextEncoder().encode(cut).length).to.be.at.most(max);
        expect(text.startsWith(cut.replace(/\.\.\.$/, '')) || cut === text).to.equal(true);
      }),
    );
  });
});
