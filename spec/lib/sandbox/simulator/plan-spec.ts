import { expect } from 'chai';
import { opening, rootAt } from '../../../../lib/sandbox/simulator/plan.ts';

/** The same numbers over and over. */
function cycle(...numbers: readonly number[]): () => number {
  let at = 0;
  return () => numbers[at++ % numbers.length] ?? 0;
}

describe('rootAt', () => {
  it('gives the opening first, whatever chance says', () => {
    const roots = opening.map((_, index) => rootAt(index, () => expect.fail('chance was asked')));
    expect(roots).to.deep.equal(opening);
  });

  it('opens with every kind of run', () => {
    expect(new Set(opening.map(({ kind }) => kind))).to.deep.equal(new Set(['PipelineRun', 'TaskRun', 'CustomRun']));
  });

  it('goes on by chance with a TaskRun of some task and life', () => {
    const root = rootAt(opening.length, cycle(0, 0, 0));
    expect(root).to.deep.include({ kind: 'TaskRun', task: 'git-clone' });
    expect(root.kind === 'TaskRun' && root.life.name).to.equal('success');
  });

  it('draws every task, the last one too', () => {
    expect(rootAt(opening.length, cycle(0, 0.999, 0))).to.deep.include({ task: 'kubectl-apply' });
  });

  it('has a task even where chance says 1', () => {
    expect(rootAt(opening.length, cycle(0, 1, 0))).to.deep.include({ task: 'git-clone' });
  });

  it('goes on by chance with a CustomRun', () => {
    const root = rootAt(opening.length, cycle(0.65, 0.99));
    expect(root.kind === 'CustomRun' && root.life.name).to.equal('rejected');
  });

  it('goes on by chance with a PipelineRun', () => {
    const root = rootAt(opening.length, cycle(0.99, 0, 0));
    expect(root.kind === 'PipelineRun' && root.fate.name).to.equal('success');
  });

  it('gives the same for the same chance', () => {
    expect(rootAt(99, cycle(0.3, 0.4, 0.5))).to.deep.equal(rootAt(100, cycle(0.3, 0.4, 0.5)));
  });
});
