import { expect } from 'chai';
import sinon from 'sinon';
import { steadyScheduler } from '../../../streams/wiring/steady-scheduler.ts';

describe('steadyScheduler', () => {
  let clock: sinon.SinonFakeTimers;

  beforeEach(() => {
    clock = sinon.useFakeTimers({ now: Date.parse('2026-11-21T12:00:00Z') });
  });

  afterEach(() => clock.restore());

  it('goes on evenly when the wall clock is put back', () => {
    const before = steadyScheduler.now();
    clock.tick(10);
    clock.setSystemTime(Date.parse('2026-11-21T11:00:00Z'));
    clock.tick(10);
    expect(steadyScheduler.now() - before).to.be.closeTo(20, 1e-3);
  });

  it('does what is due when so much time has passed, whatever the wall clock says', () => {
    const done: string[] = [];
    steadyScheduler.schedule(() => void done.push('once'), 1000);
    clock.setSystemTime(Date.parse('2026-11-21T11:00:00Z'));
    clock.tick(999);
    expect(done).to.deep.equal([]);
    clock.tick(1);
    expect(done).to.deep.equal(['once']);
  });
});
