import { expect } from 'chai';
import fc from 'fast-check';
import { type Link, LinkedList } from '../../../lib/events/linked-list.ts';

function valuesOf(list: LinkedList<number>): number[] {
  const values = [];
  for (let link = list.first; link !== undefined; link = link.next) values.push(link.value);
  return values;
}

function backwards(list: LinkedList<number>): number[] {
  const values = [];
  for (let link = list.last; link !== undefined; link = link.previous) values.push(link.value);
  return values;
}

describe('LinkedList', () => {
  it('holds what an array would hold', () => {
    const step = fc.tuple(fc.constantFrom('push', 'unshift', 'remove'), fc.nat());
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const list = new LinkedList<number>();
        const model: Link<number>[] = [];
        steps.forEach(([what, at], value) => {
          if (what === 'push') model.push(list.push(value));
          else if (what === 'unshift') model.unshift(list.unshift(value));
          else for (const link of model.splice(at % (model.length + 1), 1)) list.remove(link);
        });
        const want = model.map(({ value }) => value);
        expect(valuesOf(list)).to.deep.equal(want);
        expect(backwards(list)).to.deep.equal(want.toReversed());
        expect(list.size).to.equal(want.length);
      }),
    );
  });
});
