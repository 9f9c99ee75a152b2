import { expect } from 'chai';
import type { Subscription } from 'rxjs';
import sinon from 'sinon';
import { type Checkpoint, readCheckpoint } from '../../../lib/checkpoint/checkpoint.ts';
import { leaseType } from '../../../lib/kube/api.ts';
import type { Role } from '../../../lib/leader/lease.ts';
import { silentLog } from '../../../lib/log.ts';
import { profiles } from '../../../lib/profile.ts';
import { text } from '../../../lib/run/fields.ts';
import { createTerms, type Terms } from '../../../streams/wiring/terms.ts';
import { type LeaseApi, leaseApi } from '../../support/lease-api.ts';

const options = {
  profile: profiles.svc,
  leaseNamespace: 'ci',
  leaseName: 'one',
  leaderElect: true,
  leaseDurationMs: 15_000,
  leaseRenewDeadlineMs: 10_000,
  leaseRetryMs: 2_000,
  checkpointIntervalMs: 5_000,
};

/** The checkpoint in the lease. */
function written(api: LeaseApi): Checkpoint | undefined {
  const key = `${profiles.svc.apiGroup}/checkpoint`;
  const metadata = api.stored()?.metadata as { readonly annotations?: Readonly<Record<string, string>> } | undefined;
  return readCheckpoint(metadata?.annotations?.[key]);
}

/** The version that the checkpoint in the lease has come to. */
function writtenMark(api: LeaseApi): string | undefined {
  return written(api)?.marks.taskruns?.acked;
}

type KeptMarks = Parameters<typeof createTerms>[0]['outbox'];

interface Replica {
  readonly terms: Terms;
  readonly roles: Role[];
  readonly subscription: Subscription;
}

function replica(api: LeaseApi, identity: string, said: string[] = [], outbox?: KeptMarks): Replica {
  const log = { ...silentLog, info: (_: object, sentence: string) => void said.push(sentence) };
  const terms = createTerms({ api, options, identity, outbox, log });
  const roles: Role[] = [];
  const subscription = terms.role$.subscribe((role) => {
    roles.push(role);
    if (role === 'leading' && terms.book() === undefined) terms.begin();
  });
  return { terms, roles, subscription };
}

describe('createTerms', () => {
  let clock: sinon.SinonFakeTimers;
  let api: LeaseApi;
  const started: Replica[] = [];
  const start = (identity: string, said?: string[], outbox?: KeptMarks) => {
    const one = replica(api, identity, said, outbox);
    started.push(one);
    return one;
  };

  beforeEach(() => {
    clock = sinon.useFakeTimers({ now: Date.parse('2026-11-21T12:00:00Z') });
    api = leaseApi();
  });

  afterEach(() => {
    for (const { subscription } of started.splice(0)) subscription.unsubscribe();
    clock.restore();
  });

  it('says once when the baseline of a first start is written, and nothing where there is a checkpoint', async () => {
    const said: string[] = [];
    const baseline = () => said.filter((sentence) => sentence.startsWith('the baseline is written')).length;
    const { terms, subscription } = start('a', said);
    await clock.tickAsync(2_100);
    expect(baseline()).to.equal(0);
    terms.book()?.reached('taskruns', '7');
    terms.save();
    await clock.tickAsync(1);
    expect(writtenMark(api)).to.equal('7');
    expect(baseline()).to.equal(1);
    terms.save();
    await clock.tickAsync(10_000);
    expect(baseline()).to.equal(1);

    subscription.unsubscribe();
    await terms.release();
    const next = start('b', said);
    await clock.tickAsync(2_100);
    next.terms.save();
    await clock.tickAsync(10_000);
    expect(next.roles).to.include('leading');
    expect(baseline()).to.equal(1);
  });

  it('writes the checkpoint at once when asked to, and else at most every five seconds', async () => {
    const { terms } = start('a');
    await clock.tickAsync(2_100);
    terms.book()?.reached('taskruns', '7');
    terms.save();
    await clock.tickAsync(1);
    expect(writtenMark(api)).to.equal('7');

    terms.book()?.reached('taskruns', '8');
    await clock.tickAsync(4_500);
    expect(writtenMark(api)).to.equal('7');
    await clock.tickAsync(2_500);
    expect(writtenMark(api)).to.equal('8');
  });

  it('goes on writing the checkpoint after the wall clock was put back', async () => {
    const { terms } = start('a');
    await clock.tickAsync(100);
    clock.setSystemTime(Date.parse('2026-11-21T11:00:00Z'));
    terms.book()?.reached('taskruns', '7');
    await clock.tickAsync(8_000);
    expect(writtenMark(api)).to.equal('7');
  });

  describe('with a data dir', () => {
    const marks = new Map<string, string>();
    const outbox: KeptMarks = {
      state: () => ({ id: 'ours', marks: Object.fromEntries(marks), complete: [] }),
      reached: (watch, version) => void marks.set(watch, version),
      forgetTold: () => {
        forgotten += 1;
        marks.clear();
      },
    };
    let forgotten: number;
    const begin = () => {
      const terms = createTerms({ api, options, identity: 'a', outbox, log: silentLog });
      const subscription = terms.role$.subscribe();
      started.push({ terms, roles: [], subscription });
      return terms;
    };

    beforeEach(async () => {
      marks.clear();
      forgotten = 0;
      const { terms } = start('a', [], outbox);
      await clock.tickAsync(100);
      terms.book()?.reached('taskruns', '7');
      await clock.tickAsync(20_000);
      started.splice(0)[0]?.subscription.unsubscribe();
    });

    it('keeps the version of the lease there, and goes on from it', async () => {
      expect(marks.get('lease')).to.equal(text(api.stored(), 'metadata', 'resourceVersion'));
      marks.set('taskruns', '1000');
      const terms = begin();
      await clock.tickAsync(20_000);
      expect(terms.begin()?.outbox).to.equal('ours');
      expect([forgotten, marks.get('taskruns')]).to.deep.equal([0, '1000']);
    });

    it('keeps no version before a term has begun: killed before that, it would hide what was undone', async () => {
      const known = marks.get('lease');
      const terms = begin();
      await clock.tickAsync(20_000);
      expect(marks.get('lease')).to.equal(known);
      terms.begin();
      await clock.tickAsync(5_000);
      expect(marks.get('lease')).to.equal(text(api.stored(), 'metadata', 'resourceVersion'));
    });

    it('does not go on from it where the server was put back while nobody led', async () => {
      const stored = api.stored();
      api.putBack({ ...stored, metadata: { ...(stored?.metadata as object), resourceVersion: '3' } });
      const terms = begin();
      await clock.tickAsync(20_000);
      terms.begin();
      expect(forgotten).to.equal(1);
      terms.begin();
      expect(forgotten).to.equal(1);
    });

    it('takes its marks back with a server that is put back while we lead', async () => {
      const backup = api.stored();
      const putBacks: unknown[] = [];
      const terms = begin();
      terms.putBack$.subscribe((version) => putBacks.push(version));
      await clock.tickAsync(20_000);
      terms.begin();
      terms.book()?.reached('taskruns', '1000');
      marks.set('taskruns', '1000').set('customruns', '2');
      await clock.tickAsync(10_000);
      expect(writtenMark(api)).to.equal('1000');
      api.putBack(backup);
      await clock.tickAsync(4_000);
      const version = text(backup, 'metadata', 'resourceVersion');
      expect(putBacks).to.deep.equal([version]);
      expect(writtenMark(api)).to.equal(version);
      expect([marks.get('taskruns'), marks.get('customruns')]).to.deep.equal([version, '2']);
      // Killed now, the next life is to find it out too.
      expect(Number(marks.get('lease'))).to.be.greaterThan(Number(version));
      expect(written(api)?.outbox).to.equal(undefined);
      const late: unknown[] = [];
      terms.putBack$.subscribe((one) => late.push(one));
      expect(late).to.deep.equal([version]);
      terms.begin();
      terms.putBack$.subscribe((one) => late.push(one));
      expect([late, forgotten]).to.deep.equal([[version], 1]);
    });
  });

  it('takes the lease at most half a second after it was given up', async () => {
    const [first, second] = [start('a'), start('b')];
    await clock.tickAsync(5_300);
    expect(second.roles).to.deep.equal(['standby']);
    await first.terms.release();
    first.subscription.unsubscribe();
    await clock.tickAsync(500);
    expect(second.roles).to.deep.equal(['standby', 'leading']);
  });

  it('does not write an old checkpoint over that of who led in between', async () => {
    const { terms, roles } = start('a');
    await clock.tickAsync(100);
    terms.book()?.reached('taskruns', '7');
    terms.save();
    await clock.tickAsync(1);

    const lease = api.stored();
    const key = `${profiles.svc.apiGroup}/checkpoint`;
    const checkpoint = { format: 1, savedMs: Date.now(), marks: { taskruns: { acked: '70' } }, pending: [] };
    await api.update(leaseType, 'ci', 'one', {
      ...lease,
      metadata: { ...(lease?.metadata as object), annotations: { [key]: JSON.stringify(checkpoint) } },
      spec: { ...(lease?.spec as object), holderIdentity: 'b', leaseTransitions: 5 },
    });
    await clock.tickAsync(30_000);
    expect(roles).to.deep.equal(['leading', 'standby', 'leading']);
    expect(text(api.stored(), 'spec', 'holderIdentity')).to.equal('a');
    expect(writtenMark(api)).to.equal('70');
  });
});
