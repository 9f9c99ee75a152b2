import { expect } from 'chai';
import fc from 'fast-check';
import type { Labels } from '../../../lib/metrics/labels.ts';
import { SeriesTable } from '../../../lib/metrics/series-table.ts';

const labels = (task: string, namespace = 'shop', status = 'success') => ({ task, status, namespace });
const names = ['task', 'status', 'namespace'];

/** What each label set is placed as, one after the other. */
function placed(limit: number, sets: readonly Labels[]): readonly Labels[] {
  const table = new SeriesTable(names);
  return sets.map((set) => table.place(set, limit).series.labels);
}

describe('SeriesTable', () => {
  it('gives one series for equal labels', () => {
    const table = new SeriesTable(names);
    const first = table.place(labels('a'), 10);
    expect(table.place(labels('a'), 10).series).to.equal(first.series);
    expect(table.size).to.equal(1);
  });

  it('keeps label sets apart whose values run into each other', () => {
    const table = new SeriesTable(['task', 'namespace']);
    table.place({ task: 'a', namespace: 'b,c' }, 10);
    table.place({ task: 'a,b', namespace: 'c' }, 10);
    expect(table.size).to.equal(2);
  });

  it('makes new values _overflow past the limit, and says so', () => {
    const table = new SeriesTable(names);
    expect(table.place(labels('a'), 1).overflowed).to.equal(false);
    expect(table.place(labels('b'), 1)).to.deep.include({ overflowed: true });
    expect(table.place(labels('c'), 1).series.labels).to.deep.equal(labels('_overflow'));
    expect(table.place(labels('a'), 1).overflowed).to.equal(false);
  });

  it('never makes a status _overflow', () => {
    expect(placed(1, [labels('a'), labels('b', 'shop', 'failed')])[1]).to.deep.equal(
      labels('_overflow', 'shop', 'failed'),
    );
  });

  it('folds a new combination of known values wholly', () => {
    const sets = placed(2, [labels('a', 'x'), labels('b', 'y'), labels('a', 'y')]);
    expect(sets[2]).to.deep.equal(labels('_overflow', '_overflow'));
  });

  it('folds wholly when a tenth of the limit, and ten at least, is folded', () => {
    const known = Array.from({ length: 20 }, (_, index) => labels('a', `n${index}`));
    const fresh = Array.from({ length: 20 }, (_, index) => labels('new', `n${index}`));
    const folded = placed(20, [...known, ...fresh]).slice(20);
    const mixed = folded.filter(({ namespace }) => namespace !== '_overflow');
    expect(mixed).to.have.length(10);
    expect(folded[19]).to.deep.equal(labels('_overflow', '_overflow'));
  });

  it('has room again for what was dropped, and forgets its values', () => {
    const table = new SeriesTable(names);
    const { series } = table.place(labels('a'), 1);
    const folded = table.place(labels('b'), 1).series;
    table.drop(series);
    table.drop(series);
    expect(table.hasRoom(1)).to.equal(true);
    table.drop(folded);
    expect(table.size).to.equal(0);
    table.place(labels('z', 'other'), 1);
    expect(table.place(labels('a', 'other'), 1).series.labels).to.deep.equal(labels('_overflow', 'other'));
  });

  it('never outgrows its bound, whatever comes and goes', () => {
    const value = fc.integer({ min: 0, max: 40 }).map(String);
    const sets = fc.array(fc.tuple(value, value, fc.constantFrom('success', 'failed'), fc.boolean()), {
      minLength: 50,
      maxLength: 300,
    });
    fc.assert(
      fc.property(sets, fc.integer({ min: 1, max: 30 }), (given, limit) => {
        const table = new SeriesTable(names);
        for (const [task, namespace, status, drop] of given) {
          const { series } = table.place(labels(task, namespace, status), limit);
          if (drop) table.drop(series);
          if (table.size > limit + 10 + 2) return false;
        }
        return true;
      }),
    );
  });
});
