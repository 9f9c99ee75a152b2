import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { codeOf } from '../../../lib/io/error-code.ts';

describe('codeOf', () => {
  it('is the code of an error of the system', () => {
    try {
      readFileSync('/no/such/file');
      expect.fail('expected an error');
    } catch (error) {
      expect(codeOf(error)).to.equal('ENOENT');
    }
  });

  const without = [new Error('plain'), Object.assign(new Error('by number'), { code: 5 }), 'no error', undefined];
  for (const error of without) it(`is empty for ${error}`, () => expect(codeOf(error)).to.equal(''));
});
