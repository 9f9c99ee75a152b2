import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { dropCauses } from '../../lib/metrics/own.ts';

const page = readFileSync('docs/delivery-guarantees.md', 'utf8');

describe('docs/delivery-guarantees.md', () => {
  const specs = [...new Set([...page.matchAll(/`([\w./-]+-spec\.ts)`/g)].map(([, name = '']) => name))];

  for (const name of specs) {
    it(`names ${name}, which is there`, () => {
      expect(existsSync(join('spec', name))).to.equal(true);
    });
  }

  it('names a spec at each promise', () => {
    expect(specs).to.have.length.above(15);
  });

  it('names every cause of a drop', () => {
    for (const cause of dropCauses) expect(page).to.contain(`\`${cause}\``);
  });
});
