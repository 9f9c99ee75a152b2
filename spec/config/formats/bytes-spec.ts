import { expect } from 'chai';
import { bytes } from '../../../config/formats/bytes.ts';

describe('bytes', () => {
  const format = bytes({ min: '64KiB', max: '2GiB' });

  it('names both bounds as they were written', () => {
    expect(format.expected).to.equal('a size such as 256MiB or 1GiB, from 64KiB to 2GiB');
  });

  const reads = [
    ['64KiB', 65_536],
    ['65536', 65_536],
    ['1MiB', 1_048_576],
    ['1GiB', 1_073_741_824],
    ['2GiB', 2_147_483_648],
    ['2147483648', 2_147_483_648],
  ] as const;
  for (const [text, value] of reads) {
    it(`reads ${text} as ${value}`, () => expect(format.parse(text)).to.deep.equal({ value }));
  }

  const refused = [
    '',
    '0',
    '65535',
    '63KiB',
    '3GiB',
    '2147483649',
    '064KiB',
    '1.5MiB',
    '1 MiB',
    '1mib',
    '1MB',
    '1TiB',
    '1MiB ',
    '-1MiB',
    '12345678901234567',
  ];
  for (const text of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => expect(format.parse(text)).to.equal(undefined));
  }

  it('reads any size at all from a bound of 0 on, and 0 still not', () => {
    const fromNothing = bytes({ min: '0', max: '1KiB' });
    expect(['1', '1024', '1025', '0'].map((text) => fromNothing.parse(text)?.value)).to.deep.equal([
      1,
      1024,
      undefined,
      undefined,
    ]);
  });
});
