import { expect } from 'chai';
import { type Flips, type FlipsResult, startFlips } from '../support/flips.ts';

// The short form of `npm run flips`, which makes a thousand edits and looks at memory and handles as well.
describe('2.2 Random edits under load', () => {
  let flips: Flips;
  let result: FlipsResult;
  before(async () => {
    flips = await startFlips();
  });
  after(() => flips.close());

  describe('right ones and wrong ones', () => {
    before(async () => {
      result = await flips.run({ edits: 45, warmUpEdits: 10, editEveryMs: 60, runEveryMs: 40, seed: 12, restMs: 0 });
    });

    it('take effect or are refused edit by edit', () => {
      expect(result.applied).to.be.greaterThan(15);
      expect(result.refused).to.be.greaterThan(3);
    });

    it('leave every scrape answered with one label shape or its sentence, and no counter steps back', () => {
      expect(result.faults).to.deep.equal([]);
      expect(Object.keys(result.scrapes)).to.deep.equal(['200', '404']);
    });

    it('lose no run and no event', () => {
      expect(result.runs).to.be.greaterThan(20);
      expect(result).to.deep.include({ counted: result.runs, told: 3 * result.runs });
    });
  });
});
