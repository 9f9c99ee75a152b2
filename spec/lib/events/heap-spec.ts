import { expect } from 'chai';
import fc from 'fast-check';
import { Heap, type Slot } from '../../../lib/events/heap.ts';

describe('Heap', () => {
  it('gives the smallest first, whatever was taken out in between', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer(), fc.boolean(), fc.nat())), (steps) => {
        const heap = new Heap<string>();
        const model: Slot<string>[] = [];
        for (const [key, add, at] of steps) {
          if (add) model.push(heap.push(key, `v${key}`));
          else for (const slot of model.splice(at % (model.length + 1), 1)) heap.remove(slot);
        }
        expect(heap.size).to.equal(model.length);
        const drained: number[] = [];
        for (let slot = heap.first; slot !== undefined; slot = heap.first) {
          drained.push(slot.key);
          heap.remove(slot);
        }
        expect(drained).to.deep.equal(model.map(({ key }) => key).sort((a, b) => a - b));
      }),
    );
  });

  it('compares about log2(n) times for each of 150,000', () => {
    let reads = 0;
    const heap = new Heap<number>();
    const n = 150_000;
    for (let i = 0; i < n; i += 1) {
      const slot = heap.push(0, i);
      // Counts how often this key is looked at from here on.
      const key = (i * 7919) % n;
      const get = () => {
        reads += 1;
        return key;
      };
      Object.defineProperty(slot, 'key', { get });
    }
    for (let slot = heap.first; slot !== undefined; slot = heap.first) heap.remove(slot);
    expect(reads)
      .to.be.greaterThan(n)
      .and.lessThan(n * 4 * Math.log2(n));
  });
});
