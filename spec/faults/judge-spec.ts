import { expect } from 'chai';
import { type Arrival, busiestSecond, type Evidence, isClean, judge } from '../../faults/judge.ts';
import { createLedger, keyOf, type Telling } from '../../faults/ledger.ts';

const telling = (uid: string, message: string, word: Telling['word'] = 'running'): Telling => ({
  uid,
  word,
  status: 'Unknown',
  reason: 'Running',
  message,
});
const source = (name: string) => `/apis/svc.dev/v1/namespaces/ci/taskruns/${name}`;

let numbered = 0;

function arrival(one: Telling, more: Partial<Arrival> = {}): Arrival {
  numbered += 1;
  const given = { source: source(one.uid), path: '/events', accepted: true, ...more };
  return { number: numbered, atMs: performance.now(), id: keyOf(one), key: keyOf(one), ...given };
}

/** Two conditions of one run were written, and the sink got these. */
function evidence(arrivals: readonly Arrival[], more: Partial<Evidence> = {}): Evidence {
  const { owed, removed, owe } = createLedger();
  for (const one of [first, second]) owe(source('r1'), [one])();
  return { owed, arrivals, removed, lossOf: 'everything', untakeable: new Set(), ...more };
}

const first = telling('r1', 'first');
const second = telling('r1', 'second');

describe('judge', () => {
  it('finds nothing wrong where all came, in order', () => {
    const verdict = judge(evidence([arrival(first), arrival(second)]));
    expect(verdict).to.deep.include({ sent: 2, lost: [], sameId: 0, otherId: [], outOfOrder: [], refused: 0 });
    expect(isClean(verdict)).to.equal(true);
  });

  it('counts what never came as lost', () => {
    const verdict = judge(evidence([arrival(first)]));
    expect(verdict.lost).to.deep.equal([keyOf(second)]);
    expect(isClean(verdict)).to.equal(false);
  });

  it('does not take a refused request for a delivery', () => {
    const verdict = judge(evidence([arrival(first), arrival(second, { accepted: false })]));
    expect(verdict).to.deep.include({ lost: [keyOf(second)], refused: 1 });
  });

  it('asks only for the present of runs that exist where history was lost', () => {
    const present = { lossOf: 'present' } as const;
    expect(judge(evidence([arrival(second)], present)).lost).to.deep.equal([]);
    expect(judge(evidence([arrival(first)], present)).lost).to.deep.equal([keyOf(second)]);
    expect(judge(evidence([], { ...present, removed: new Set(['r1']) })).lost).to.deep.equal([]);
  });

  it('does not ask for what the sink never takes', () => {
    expect(judge(evidence([arrival(first)], { untakeable: new Set([keyOf(second)]) })).lost).to.deep.equal([]);
  });

  it('tells a repetition from a second id', () => {
    const again = [arrival(first), arrival(first), arrival(second), arrival(second, { id: 'another' })];
    expect(judge(evidence(again))).to.deep.include({ sameId: 1, otherId: [keyOf(second)] });
  });

  it('sees a second id even if only one of the two was taken', () => {
    const again = [arrival(first), arrival(second, { accepted: false, id: 'another' }), arrival(second)];
    expect(judge(evidence(again)).otherId).to.deep.equal([keyOf(second)]);
  });

  it('judges order by first deliveries, of each source', () => {
    const late = arrival(first, { number: 900 });
    expect(judge(evidence([arrival(second), late])).outOfOrder).to.deep.equal([source('r1')]);
    expect(judge(evidence([arrival(first), arrival(second), late])).outOfOrder).to.deep.equal([]);
  });

  it('sees order across runs of one name', () => {
    const { owed, removed, owe } = createLedger();
    const [before, after] = [telling('r1', 'last'), telling('r2', 'first')];
    for (const one of [before, after]) owe(source('same'), [one])();
    const arrivals = [arrival(after), arrival(before)];
    const verdict = judge({ owed, arrivals, removed, lossOf: 'everything', untakeable: new Set() });
    expect(verdict.outOfOrder).to.deep.equal([source('same')]);
  });

  it('counts as lost what a receiver drops because it knows the id from something else', () => {
    const verdict = judge(evidence([arrival(first), arrival(second, { id: keyOf(first) })]));
    expect(verdict.lost).to.deep.equal([keyOf(second)]);
  });

  it('names what nobody wrote', () => {
    const verdict = judge(evidence([arrival(first), arrival(second), arrival(telling('r1', 'third'))]));
    expect(verdict.unexpected).to.deep.equal([keyOf(telling('r1', 'third'))]);
    expect(isClean(verdict)).to.equal(false);
  });

  it('takes started for the same whichever condition it was seen in', () => {
    expect(keyOf(telling('r1', 'a', 'started'))).to.equal(keyOf(telling('r1', 'b', 'started')));
    expect(keyOf(telling('r1', 'a', 'started'))).not.to.equal(keyOf(telling('r2', 'a', 'started')));
  });

  it('measures lags from the answer of the write to the first delivery', () => {
    const given = evidence([]);
    for (const [index, owed] of given.owed.entries()) owed.writtenMs = 1000 + index;
    const arrivals = [arrival(first, { atMs: 1005 }), arrival(second, { atMs: 1031 }), arrival(second, { atMs: 9000 })];
    expect(judge({ ...given, arrivals })).to.deep.include({ p50Ms: 30, p99Ms: 30 });
  });
});

describe('busiestSecond', () => {
  it('is the most that came within any second between two times', () => {
    const arrivals = [0, 100, 900, 5000, 5400, 5999, 6000, 7001].map((atMs) => arrival(first, { atMs }));
    expect(busiestSecond(arrivals, 0, 10_000)).to.equal(4);
    expect(busiestSecond(arrivals, 0, 4999)).to.equal(3);
    expect(busiestSecond(arrivals, 7002, 10_000)).to.equal(0);
  });
});
