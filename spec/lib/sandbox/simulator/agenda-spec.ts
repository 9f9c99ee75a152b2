import { expect } from 'chai';
import fc from 'fast-check';
import { Agenda } from '../../../../lib/sandbox/simulator/agenda.ts';

function takeAll(agenda: Agenda, nowMs: number): void {
  for (let act = agenda.take(nowMs); act !== undefined; act = agenda.take(nowMs)) act();
}

describe('Agenda', () => {
  it('hands out what is due, earliest first, of the same moment first said first', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9), { maxLength: 60 }), fc.nat(9), (dues, nowMs) => {
        const agenda = new Agenda();
        const done: (readonly [number, number])[] = [];
        dues.forEach((dueMs, index) => {
          agenda.add(dueMs, () => done.push([dueMs, index]));
        });
        takeAll(agenda, nowMs);
        const wanted = dues
          .map((dueMs, index) => [dueMs, index] as const)
          .filter(([dueMs]) => dueMs <= nowMs)
          .sort(([a, i], [b, j]) => a - b || i - j);
        expect(done).to.deep.equal(wanted);
      }),
    );
  });

  it('keeps what is not due yet', () => {
    const agenda = new Agenda();
    agenda.add(5, () => {});
    expect(agenda.take(4)).to.equal(undefined);
    expect(agenda.take(5)).to.be.a('function');
    expect(agenda.take(5)).to.equal(undefined);
  });
});
