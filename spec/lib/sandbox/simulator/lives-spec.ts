import { expect } from 'chai';
import { cancelledCondition, customLives, lifeNamed, taskLives } from '../../../../lib/sandbox/simulator/lives.ts';

describe('lives', () => {
  it('are found by their name', () => {
    expect(lifeNamed(taskLives, 'parked').parkedAs).to.equal('TaskRunPending');
    expect(lifeNamed(customLives, 'approved').beats).to.have.length(3);
  });

  it('tell of a name that none has, and of those there are', () => {
    expect(() => lifeNamed(customLives, 'forgotten')).to.throw('expected a life of approved,rejected, got forgotten');
  });

  it('end for good, or in a request to be cancelled', () => {
    for (const { name, beats } of [...taskLives, ...customLives]) {
      const last = beats.at(-1);
      const end = last !== undefined && 'condition' in last ? last.condition.status : last?.spec;
      expect(end, name).to.be.oneOf(['True', 'False', 'TaskRunCancelled']);
    }
  });

  it('end a cancelled run under its own kind', () => {
    expect(cancelledCondition('CustomRun')).to.deep.equal({
      status: 'False',
      reason: 'CustomRunCancelled',
      message: 'CustomRun "{name}" was cancelled',
    });
  });
});
