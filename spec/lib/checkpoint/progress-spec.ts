import { expect } from 'chai';
import fc from 'fast-check';
import type { PendingEvent } from '../../../lib/checkpoint/checkpoint.ts';
import { createProgress } from '../../../lib/checkpoint/progress.ts';

function pending(version: number): PendingEvent {
  const who = { kind: 'TaskRun', namespace: 'ci', name: 'build', uid: 'u1', word: 'running' } as const;
  return { ...who, id: `id-${version}`, resourceVersion: String(version), sequence: `${version}.0` };
}

describe('createProgress', () => {
  it('has no mark before the watch has come anywhere', () => {
    expect(createProgress().mark()).to.deep.equal({ acked: undefined, pending: [] });
  });

  it('marks the version reached while nothing is unsettled', () => {
    const progress = createProgress();
    progress.reached('9');
    progress.reached('10');
    progress.reached('7');
    expect(progress.mark()).to.deep.equal({ acked: '10', pending: [] });
  });

  it('goes back to the version of a complete list: the server was put back', () => {
    const progress = createProgress({ from: '90' });
    progress.listed('7');
    progress.reached('8');
    expect(progress.mark()).to.deep.equal({ acked: '8', pending: [] });
  });

  it('sets a few unsettled events beside the mark, so that one stubborn event does not hold it', () => {
    const progress = createProgress();
    progress.owes('a', pending(3));
    progress.reached('1000');
    expect(progress.mark()).to.deep.equal({ acked: '1000', pending: [pending(3)] });
  });

  it('stays below the first event that has no place beside it', () => {
    const progress = createProgress({ besideLimit: 2 });
    for (const version of [20, 8, 30, 9]) progress.owes(String(version), pending(version));
    progress.reached('40');
    expect(progress.mark()).to.deep.equal({ acked: '19', pending: [pending(8), pending(9)] });
    progress.settled('8');
    expect(progress.mark()).to.deep.equal({ acked: '29', pending: [pending(9), pending(20)] });
    progress.settled('9');
    expect(progress.mark()).to.deep.equal({ acked: '40', pending: [pending(20), pending(30)] });
  });

  it('never marks beyond what the watch has reached', () => {
    const progress = createProgress({ besideLimit: 0 });
    progress.owes('a', pending(50));
    progress.reached('40');
    expect(progress.mark().acked).to.equal('40');
  });

  it('loses nothing: what is unsettled stands beside the mark or above it', () => {
    const step = fc.record({ owed: fc.boolean(), settled: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 0, max: 5 }), (steps, besideLimit) => {
        const progress = createProgress({ besideLimit });
        const unsettled = new Set<number>();
        steps.forEach(({ owed, settled }, index) => {
          const version = index + 1;
          if (owed) progress.owes(String(version), pending(version));
          if (owed) unsettled.add(version);
          if (owed && settled) progress.settled(String(version));
          if (owed && settled) unsettled.delete(version);
          progress.reached(String(version));
        });
        const { acked = '0', pending: beside } = progress.mark();
        const found = [...unsettled].filter(
          (version) =>
            version > Number(acked) || beside.some(({ resourceVersion }) => Number(resourceVersion) === version),
        );
        expect(found).to.deep.equal([...unsettled]);
        expect(beside.length).to.be.at.most(besideLimit);
      }),
    );
  });
});
