import { expect } from 'chai';
import { seededRandom, weighted } from '../../../../lib/sandbox/simulator/random.ts';

const draw = (seed: number, count: number) => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, random);
};

describe('seededRandom', () => {
  it('gives the same numbers for the same seed only', () => {
    expect(draw(1, 5)).to.deep.equal(draw(1, 5));
    expect(draw(1, 5)).not.to.deep.equal(draw(2, 5));
  });

  it('spreads over 0 to 1', () => {
    const tenths = new Array<number>(10).fill(0);
    for (const value of draw(3, 10_000)) tenths[Math.floor(value * 10)] = (tenths[Math.floor(value * 10)] ?? 0) + 1;
    expect(tenths).to.have.length(10);
    for (const count of tenths) expect(count).to.be.within(850, 1150);
  });
});

describe('weighted', () => {
  const rows = [
    { name: 'rare', weight: 1 },
    { name: 'common', weight: 3 },
  ];
  for (const [random, name] of [
    [0, 'rare'],
    [0.249, 'rare'],
    [0.25, 'common'],
    [0.999, 'common'],
    [1, 'common'],
  ] as const) {
    it(`chooses ${name} at ${random}`, () => {
      expect(weighted(rows, random).name).to.equal(name);
    });
  }

  it('refuses an empty table', () => {
    expect(() => weighted([], 0)).to.throw('at least one row');
  });
});
