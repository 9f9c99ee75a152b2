import { expect } from 'chai';
import type { Checkpoint, PendingEvent } from '../../../lib/checkpoint/checkpoint.ts';
import type { OutgoingEvent } from '../../../lib/events/outgoing.ts';
import { markOf, resumption, sortKept, toldOf } from '../../../lib/outbox/resume.ts';
import { observe } from '../../../lib/run/observe.ts';
import { outgoing } from '../../support/outgoing.ts';
import { observed, svc } from '../../support/runs.ts';

const state = { id: 'ours', marks: { taskruns: '90', customruns: '5' }, complete: ['taskruns'] };
const pendingAt = (id: string, resourceVersion: string): PendingEvent => {
  const { kind, namespace, name, uid, sequence, word } = outgoing();
  return { id, kind, namespace, name, uid, resourceVersion, sequence, word };
};
const lease = (outbox: string | undefined, pending: readonly PendingEvent[] = []): Checkpoint => ({
  savedMs: 0,
  greatestTransitionMs: 0,
  marks: { taskruns: { acked: '50', observed: '40' }, pipelineruns: { acked: '70', observed: undefined } },
  pending,
  ...(outbox === undefined ? {} : { outbox }),
});
const at = (id: string, resourceVersion: string): OutgoingEvent => ({ ...outgoing({ id }), resourceVersion });

/** Ids by what becomes of them. */
function sorted(checkpoint: Checkpoint | undefined, events: readonly OutgoingEvent[], putAtMs = 0) {
  const kept = events.map((event) => ({ event, putAtMs }));
  const options = { resumption: resumption(checkpoint, state), marks: state.marks, nowMs: 1000, giveUpAfterMs: 1000 };
  const all = sortKept(kept, options);
  const ids = (some: readonly { readonly id: string }[]) => some.map(({ id }) => id).join();
  return [ids(all.deliver), ids(all.toldElsewhere), ids(all.tooOld), ids(all.missing)];
}

describe('resumption', () => {
  it('goes on from the later mark of each watch when nobody else has led', () => {
    const { ours, checkpoint, told } = resumption(lease('ours'), state);
    expect([ours, [...told]]).to.deep.equal([true, ['taskruns']]);
    expect(checkpoint?.marks).to.deep.equal({
      taskruns: { acked: '90', observed: '40' },
      pipelineruns: { acked: '70', observed: undefined },
      customruns: { acked: '5', observed: undefined },
    });
  });

  it('takes the version of the Lease for no watch', () => {
    const { checkpoint } = resumption(lease('ours'), { ...state, marks: { lease: '99' } });
    expect(checkpoint?.marks).to.deep.equal(lease('ours').marks);
  });

  for (const [title, found] of [
    ['another has led', lease('theirs')],
    ['one without a data dir has led', lease(undefined)],
    ['there is no checkpoint', undefined],
  ] as const) {
    it(`goes on from the Lease alone when ${title}`, () => {
      expect(resumption(found, state)).to.deep.equal({ ours: false, checkpoint: found, told: new Set() });
    });
  }
});

describe('sortKept', () => {
  it('delivers all that is ours, and reads back only what the data dir never had', () => {
    const pending = [pendingAt('a', '30'), pendingAt('gone', '80'), pendingAt('lost', '95')];
    expect(sorted(lease('ours', pending), [at('a', '30'), at('b', '95')], 500)).to.deep.equal(['a,b', '', '', 'lost']);
  });

  it('drops what another has told, keeps what it had not, and reads back the rest', () => {
    const pending = [pendingAt('a', '30'), pendingAt('x', '40')];
    const events = [at('a', '30'), at('b', '50'), at('c', '51')];
    expect(sorted(lease('theirs', pending), events, 500)).to.deep.equal(['a,c', 'b', '', 'x']);
  });

  it('delivers everything when there is no checkpoint', () => {
    expect(sorted(undefined, [at('a', '30')], 500)).to.deep.equal(['a', '', '', '']);
  });

  it('gives up what has waited too long', () => {
    expect(sorted(lease('ours'), [at('a', '95')], 0)).to.deep.equal(['', '', 'a', '']);
  });
});

describe('markOf', () => {
  it('knows watches of one namespace from those of all', () => {
    expect(markOf(outgoing(), { 'taskruns/ci': 1, taskruns: 2 })).to.equal(1);
    expect(markOf(outgoing(), { 'taskruns/other': 1, taskruns: 2 })).to.equal(2);
    expect(markOf(outgoing(), undefined)).to.equal(undefined);
  });
});

describe('toldOf', () => {
  const { known } = observe(undefined, observed({ version: 60, condition: 'True/Succeeded/' }), svc.behaviour);
  const rows = [{ watch: 'taskruns', known, countedAt: '60' }];

  it('gives the runs of one watch', () => {
    expect(toldOf(rows, 'taskruns', '60')).to.deep.equal([['u1', known]]);
    expect(toldOf(rows, 'pipelineruns', '60')).to.deep.equal([]);
  });

  it('takes a run for uncounted when it was counted after the last scrape', () => {
    const counted = (to: string | undefined) => toldOf(rows, 'taskruns', to)[0]?.[1].counted;
    expect([counted('59'), counted('60'), counted(undefined)]).to.deep.equal([false, true, true]);
  });
});
