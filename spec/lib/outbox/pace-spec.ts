import { expect } from 'chai';
import { urgentPortion, type Waiting } from '../../../lib/outbox/pace.ts';

const waiting = (given: Partial<Waiting>): Waiting => ({
  events: 5000,
  oldestMs: 1000,
  settled: 500,
  overMs: 1000,
  ...given,
});

const table: readonly [string, Partial<Waiting>, ReturnType<typeof urgentPortion>][] = [
  ['nothing while nothing waits', { events: 0, settled: 0, oldestMs: 0 }, undefined],
  ['nothing that is settled within ten seconds', {}, undefined],
  ['the newest of more than that', { events: 5001 }, 'newest'],
  ['the newest while the sink takes few', { settled: 5, overMs: 1000 }, 'newest'],
  ['the oldest while nothing is settled', { settled: 0 }, 'oldest'],
  ['the oldest once it has waited for ten seconds', { events: 1, oldestMs: 10_001 }, 'oldest'],
  ['nothing when no time has passed', { overMs: 0 }, undefined],
];

describe('urgentPortion', () => {
  for (const [title, given, want] of table) {
    it(`writes ${title}`, () => expect(urgentPortion(waiting(given))).to.equal(want));
  }
});
