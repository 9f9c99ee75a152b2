import { expect } from 'chai';
import { createIntern, slim, slimObserved } from '../../../lib/run/slim.ts';
import { observed } from '../../support/runs.ts';

const given = { condition: 'Unknown/Running/step 1 of 3', name: 'build-1' };

describe('slim', () => {
  it('says the same of a run as before', () => {
    for (const condition of [undefined, 'Unknown/Running/a', 'True/Succeeded/b', 'False/Failed/c', 'Odd/x/y']) {
      const { run } = observed(condition === undefined ? {} : { condition });
      expect(slim(run, undefined, createIntern())).to.deep.equal(run);
    }
  });

  it('takes nothing but equal strings from the version before', () => {
    const before = observed(given).run;
    const after = observed({ ...given, version: 2, condition: 'True/Succeeded/done', at: '2026-01-01T00:01:00Z' }).run;
    expect(slim(after, before, createIntern())).to.deep.equal(after);
  });

  it('shares a condition that stayed as it was with the version before', () => {
    const before = observed(given).run;
    const after = observed({ ...given, version: 2 }).run;
    expect(slim(after, before, createIntern()).condition).to.equal(before.condition);
    const later = observed({ ...given, version: 3, at: '2026-01-01T00:02:00Z' }).run;
    expect(slim(later, before, createIntern()).condition?.transitionTimeMs).to.equal(
      Date.parse('2026-01-01T00:02:00Z'),
    );
  });

  it('reads the object through, only when asked', () => {
    const whole = observed(given);
    const slimmed = slimObserved(whole, undefined, createIntern());
    expect(slimmed.resource).to.equal(whole.resource);
    expect(slimmed.type).to.equal(whole.type);
  });
});

describe('createIntern', () => {
  it('asks for a string once, and begins again when it holds too many', () => {
    const kept: string[] = [];
    const intern = createIntern(2, (text) => kept.push(text));
    for (const text of ['a', 'b', 'a', 'c', 'a']) expect(intern(text)).to.equal(text);
    expect(kept).to.deep.equal(['a', 'b', 'c', 'a']);
  });
});
