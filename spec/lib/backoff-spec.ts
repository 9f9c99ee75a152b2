import { expect } from 'chai';
import fc from 'fast-check';
import { backoffDelay, noFailures, watchBackoff, withFailure } from '../../lib/backoff.ts';

describe('backoffDelay', () => {
  it('grows to its bound', () => {
    const bounds = [1, 2, 3, 6, 7, 100].map((n) => backoffDelay(watchBackoff, n, 1));
    expect(bounds).to.deep.equal([800, 1600, 3200, 25_600, 30_000, 30_000]);
  });

  it('is anywhere from 0 to the bound', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), fc.double({ min: 0, max: 0.999, noNaN: true }), (n, random) => {
        const delayMs = backoffDelay(watchBackoff, n, random);
        expect(delayMs).to.be.within(0, watchBackoff.maxMs);
        expect(delayMs).to.be.closeTo(random * backoffDelay(watchBackoff, n, 1), 1e-6);
      }),
    );
  });
});

describe('withFailure', () => {
  const inARow = (...timesMs: number[]) =>
    timesMs.reduce((failures, atMs) => withFailure(watchBackoff, failures, atMs), noFailures);

  for (const { title, failures, count } of [
    { title: 'the first', failures: inARow(0), count: 1 },
    { title: 'three in a row', failures: inARow(0, 120_000, 240_000), count: 3 },
    { title: 'one after two quiet minutes', failures: inARow(0, 10, 120_011), count: 1 },
  ]) {
    it(`counts ${title} as ${count}`, () => {
      expect(failures.count).to.equal(count);
    });
  }
});
