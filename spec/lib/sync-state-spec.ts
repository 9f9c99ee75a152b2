import { expect } from 'chai';
import { createSyncState } from '../../lib/sync-state.ts';

describe('createSyncState', () => {
  const watches = [
    { kind: 'TaskRun', key: 'taskruns/a' },
    { kind: 'TaskRun', key: 'taskruns/b' },
    { kind: 'CustomRun', key: 'customruns/a' },
  ] as const;

  it('is synced by kind when each of its watches is listed or absent', () => {
    const sync = createSyncState(watches);
    sync.set('taskruns/a', 'listed');
    expect([sync.kindSynced('TaskRun'), sync.kindSynced('CustomRun')]).to.deep.equal([false, false]);
    sync.set('taskruns/b', 'absent');
    expect([sync.kindSynced('TaskRun'), sync.allSynced()]).to.deep.equal([true, false]);
    sync.set('customruns/a', 'listed');
    expect([sync.kindSynced('CustomRun'), sync.allSynced()]).to.deep.equal([true, true]);
  });

  it('says how each watch stands, and that an unknown one waits', () => {
    const sync = createSyncState(watches);
    sync.set('taskruns/a', 'absent');
    expect(['taskruns/a', 'taskruns/b', 'other'].map(sync.state)).to.deep.equal(['absent', 'waiting', 'waiting']);
  });
});
