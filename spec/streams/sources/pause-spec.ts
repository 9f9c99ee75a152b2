import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import sinon from 'sinon';
import { pause } from '../../../streams/sources/pause.ts';

describe('pause', () => {
  let clock: sinon.SinonFakeTimers;
  beforeEach(() => {
    clock = sinon.useFakeTimers();
  });
  afterEach(() => clock.restore());

  const watched = (ms: number, signal: AbortSignal) => {
    const state = { over: false };
    const done = pause(ms, signal).then(() => {
      state.over = true;
    });
    return { state, done };
  };

  it('resolves when the time is over, not sooner', async () => {
    const { signal } = new AbortController();
    const { state, done } = watched(1000, signal);
    await clock.tickAsync(999);
    expect(state.over).to.equal(false);
    await clock.tickAsync(1);
    await done;
    expect(getEventListeners(signal, 'abort')).to.have.length(0);
  });

  it('resolves at once when aborted, and leaves nothing behind', async () => {
    const abort = new AbortController();
    const { done } = watched(1000, abort.signal);
    expect(clock.countTimers()).to.equal(1);
    abort.abort();
    await done;
    expect(clock.countTimers()).to.equal(0);
    expect(getEventListeners(abort.signal, 'abort')).to.have.length(0);
  });

  it('does not begin when aborted before', async () => {
    await pause(1000, AbortSignal.abort());
    expect(clock.countTimers()).to.equal(0);
  });
});
