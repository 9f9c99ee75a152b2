import { expect } from 'chai';
import fc from 'fast-check';
import { compareVersions, laterVersion, versionBefore } from '../../../lib/kube/version.ts';

describe('compareVersions', () => {
  it('orders decimal numbers of any length as numbers', () => {
    const version = fc.bigInt({ min: 1n, max: 2n ** 80n });
    fc.assert(
      fc.property(version, version, (a, b) => {
        const want = a < b ? -1 : Number(a > b);
        expect(Math.sign(compareVersions(String(a), String(b)))).to.equal(want);
      }),
    );
  });
});

describe('laterVersion', () => {
  const rows = [
    { a: '9', b: '10', want: '10' },
    { a: '10', b: '9', want: '10' },
    { a: undefined, b: '9', want: '9' },
    { a: '9', b: undefined, want: '9' },
    { a: undefined, b: undefined, want: undefined },
  ];
  for (const { a, b, want } of rows) {
    it(`of ${a} and ${b} is ${want}`, () => {
      expect(laterVersion(a, b)).to.equal(want);
    });
  }
});

describe('versionBefore', () => {
  it('is one less, beyond what a double holds', () => {
    expect(versionBefore('1000')).to.equal('999');
    expect(versionBefore('90071992547409930')).to.equal('90071992547409929');
  });
});
