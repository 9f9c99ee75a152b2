import { expect } from 'chai';
import { KubeError, leaseType } from '../../../lib/kube/api.ts';
import { holderOf, leaseTimes } from '../../../lib/leader/lease.ts';
import { silentLog } from '../../../lib/log.ts';
import { field } from '../../../lib/run/fields.ts';
import { createElector, type Elector } from '../../../streams/sources/elector.ts';
import { type LeaseApi, leaseApi } from '../../support/lease-api.ts';

describe('createElector', () => {
  let api: LeaseApi;
  let nowMs: number;
  let putBacks: (string | undefined)[];
  const unreachable = new KubeError('unreachable', 'no answer');

  const elector = (identity: string, { contest = true, checkpoint = identity } = {}): Elector =>
    createElector({
      api,
      namespace: 'ci',
      name: 'controller',
      identity,
      contest,
      times: leaseTimes,
      annotations: () => (checkpoint === '' ? {} : { 'svc.dev/checkpoint': checkpoint }),
      monotonicMs: () => nowMs,
      wallMs: () => Date.parse('2026-01-01T00:00:00Z') + nowMs,
      onPutBack: (version) => putBacks.push(version),
      log: silentLog,
    });

  beforeEach(() => {
    api = leaseApi();
    nowMs = 0;
    putBacks = [];
  });

  it('takes a lease that nobody has made yet', async () => {
    expect(await elector('a').attempt()).to.equal('leading');
    expect(field(api.stored(), 'spec')).to.deep.equal({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
  });

  it('stands by while another holds it', async () => {
    await elector('a').attempt();
    const b = elector('b');
    expect(await b.attempt()).to.equal('standby');
    expect(b.holds()).to.equal(false);
    expect(holderOf(api.stored())).to.equal('a');
  });

  it('takes it when its record has not changed for its duration, whatever the clocks on the wall say', async () => {
    await elector('a').attempt();
    const b = elector('b');
    await b.attempt();
    nowMs = 15_000;
    expect(await b.attempt()).to.equal('standby');
    nowMs = 15_001;
    expect(await b.attempt()).to.equal('leading');
    expect(field(field(api.stored(), 'spec'), 'leaseTransitions')).to.equal(1);
  });

  it('leaves it to a holder that renews', async () => {
    const a = elector('a');
    const b = elector('b');
    await a.attempt();
    for (nowMs = 2_000; nowMs < 40_000; nowMs += 2_000) {
      expect(await a.attempt()).to.equal('leading');
      expect(await b.attempt()).to.equal('standby');
    }
  });

  it('does not hold it from the renew deadline on, even before any timer fires', async () => {
    const a = elector('a');
    await a.attempt();
    nowMs = 9_999;
    expect(a.holds()).to.equal(true);
    nowMs = 10_000;
    expect(a.holds()).to.equal(false);
  });

  it('lapses while it cannot renew, and goes on leading when nobody took it', async () => {
    const a = elector('a');
    await a.attempt();
    api.down = unreachable;
    nowMs = 2_000;
    expect(await a.attempt()).to.equal('leading');
    nowMs = 12_000;
    expect(await a.attempt()).to.equal('lapsed');
    api.down = undefined;
    nowMs = 30_000;
    expect(await a.attempt()).to.equal('leading');
  });

  it('stands by for a turn when it was deposed, even if the lease is free again', async () => {
    const a = elector('a');
    const b = elector('b');
    await a.attempt();
    await b.attempt();
    nowMs = 16_000;
    await b.attempt();
    await b.release();
    expect(a.holds()).to.equal(false);
    expect(await a.attempt()).to.equal('standby');
    expect(await a.attempt()).to.equal('leading');
  });

  it('hands it over at once when released, with the annotations written a last time', async () => {
    const a = elector('a');
    await a.attempt();
    nowMs = 1_000;
    await a.release();
    expect(a.holds()).to.equal(false);
    const b = elector('b', { checkpoint: '' });
    expect(await b.attempt()).to.equal('leading');
    expect(b.annotation('svc.dev/checkpoint')).to.equal('a');
  });

  it('waits for the attempt under way when released, and hands it over all the same', async () => {
    const a = elector('a');
    await a.attempt();
    const renewal = a.attempt();
    await a.release();
    await renewal;
    expect(a.holds()).to.equal(false);
    expect(await elector('b').attempt()).to.equal('leading');
  });

  it('keeps annotations that it has nothing to say about', async () => {
    const a = elector('a');
    await a.attempt();
    await a.release();
    const b = elector('b', { checkpoint: '' });
    await b.attempt();
    nowMs = 2_000;
    await b.attempt();
    expect(b.annotation('svc.dev/checkpoint')).to.equal('a');
    expect(b.annotation('other')).to.equal(undefined);
  });

  it('takes it from whoever holds it when there is no contest', async () => {
    await elector('a').attempt();
    expect(await elector('b', { contest: false }).attempt()).to.equal('leading');
  });

  it('looks again when somebody else wrote in between', async () => {
    const a = elector('a');
    await a.attempt();
    const stored = api.stored();
    await api.update(leaseType, 'ci', 'controller', {
      ...stored,
      metadata: { ...(field(stored, 'metadata') as object), labels: { by: 'hand' } },
    });
    nowMs = 2_000;
    expect(await a.attempt()).to.equal('leading');
    nowMs = 4_000;
    expect(await a.attempt()).to.equal('leading');
    expect(a.holds()).to.equal(true);
    nowMs = 13_000;
    expect(a.holds()).to.equal(true);
  });

  describe('on a server that was put back to an earlier state', () => {
    it('says which version of the lease is there again, and leads on', async () => {
      const a = elector('a');
      await a.attempt();
      const backup = api.stored();
      for (nowMs = 2_000; nowMs < 8_000; nowMs += 2_000) await a.attempt();
      expect(putBacks).to.deep.equal([]);
      api.putBack(backup);
      expect(await a.attempt()).to.equal('leading');
      expect(putBacks).to.deep.equal(['1']);
      for (; nowMs < 40_000; nowMs += 2_000) expect(await a.attempt()).to.equal('leading');
      expect(putBacks).to.deep.equal(['1']);
    });

    it('says so too when it could not renew meanwhile', async () => {
      const a = elector('a');
      await a.attempt();
      const backup = api.stored();
      await a.attempt();
      api.putBack(backup);
      nowMs = 60_000;
      expect(await a.attempt()).to.equal('leading');
      expect(putBacks).to.deep.equal(['1']);
    });

    it("makes a lease again that was not there then, and leads on: it is its holder's, whoever sees it first", async () => {
      const [a, b] = [elector('a'), elector('b')];
      await a.attempt();
      await a.attempt();
      await b.attempt();
      api.putBack(undefined);
      nowMs = 1_000;
      expect(await b.attempt()).to.equal('standby');
      nowMs = 2_000;
      expect(putBacks).to.deep.equal([]);
      expect(await a.attempt()).to.equal('leading');
      expect(putBacks).to.deep.equal([undefined]);
      expect(holderOf(api.stored())).to.equal('a');
      expect(a.annotation('svc.dev/checkpoint')).to.equal('a');
      nowMs = 11_000;
      expect(a.holds()).to.equal(true);
      expect(await b.attempt()).to.equal('standby');
    });

    it('makes a lease again that somebody deleted, and says nothing of a server put back', async () => {
      const a = elector('a');
      await a.attempt();
      await a.attempt();
      api.putBack(undefined, 2);
      nowMs = 2_000;
      expect(await a.attempt()).to.equal('leading');
      expect(holderOf(api.stored())).to.equal('a');
      expect(putBacks).to.deep.equal([]);
    });

    it('leaves a lease that is gone to its holder for its duration', async () => {
      const b = elector('b');
      await elector('a').attempt();
      await b.attempt();
      api.putBack(undefined);
      nowMs = 15_000;
      expect(await b.attempt()).to.equal('standby');
      nowMs = 15_001;
      expect(await b.attempt()).to.equal('leading');
    });

    it('leaves the lease to whoever held it then, for its duration', async () => {
      const b = elector('b');
      await b.attempt();
      const backup = api.stored();
      await b.release();
      const a = elector('a');
      await a.attempt();
      api.putBack(backup);
      nowMs = 2_000;
      expect(await a.attempt()).to.equal('standby');
      expect(putBacks).to.deep.equal(['1']);
      nowMs = 17_001;
      expect(await a.attempt()).to.equal('leading');
    });
  });

  it('never rejects, and releases nothing it does not hold', async () => {
    api.down = unreachable;
    const a = elector('a');
    expect(await a.attempt()).to.equal('standby');
    await a.release();
    expect(api.stored()).to.equal(undefined);
  });
});
