import { expect } from 'chai';
import fc from 'fast-check';
import { VersionedStore } from '../../../../lib/sandbox/api/versioned-store.ts';

const object = (name: string, value = 0) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'n', uid: name, resourceVersion: '', creationTimestamp: '' },
  value,
});

function newStore(options: { historyLimit?: number; historyAgeMs?: number; nowMs?: () => number } = {}) {
  return new VersionedStore({ historyLimit: 1000, historyAgeMs: 1e9, nowMs: () => 0, ...options });
}

const names = (store: VersionedStore, revision = store.revision, from = '') =>
  [...store.list('configmaps', { namespace: '', revision, from })].map(([key]) => key);

function changes(store: VersionedStore, since: number): readonly number[] {
  const next = store.next(since);
  return next === undefined ? [] : [next.revision, ...changes(store, next.revision)];
}

describe('VersionedStore', () => {
  it('shows every version it keeps exactly as it was', () => {
    const writes = fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), remove: fc.boolean() }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(writes, fc.nat(50), (steps, compactAt) => {
        const store = newStore();
        const model = new Map<string, number>();
        const past = new Map<number, unknown>();
        steps.forEach(({ name, remove }, index) => {
          if (!remove) model.set(name, Number(store.put('configmaps', object(name, index)).metadata.resourceVersion));
          else if (model.delete(name)) store.remove('configmaps', 'n', name);
          past.set(store.revision, [...model].sort());
        });
        store.compact(compactAt);
        for (const [revision, wanted] of past) {
          if (revision < store.compacted) continue;
          const shown = [...store.list('configmaps', { namespace: 'n', revision, from: '' })];
          expect(shown.map(([key, { metadata }]) => [key.slice(2), Number(metadata.resourceVersion)])).to.deep.equal(
            wanted,
          );
        }
        expect(store.size).to.equal(model.size);
      }),
    );
  });

  it('tells the changes after a revision, one each', () => {
    const store = newStore();
    for (const name of ['a', 'b', 'c']) store.put('configmaps', object(name));
    expect(changes(store, 2)).to.deep.equal([3, 4]);
    expect(changes(store, store.revision)).to.deep.equal([]);
  });

  it('starts a list anywhere', () => {
    const store = newStore();
    for (const name of ['c', 'a', 'b']) store.put('configmaps', object(name));
    expect(names(store, store.revision, 'n/b')).to.deep.equal(['n/b', 'n/c']);
  });

  it('keeps so many changes and a quarter more', () => {
    const store = newStore({ historyLimit: 8 });
    const kept: number[] = [];
    for (let n = 0; n < 100; n += 1) {
      store.put('configmaps', object('a', n));
      kept.push(store.revision - store.compacted);
    }
    expect(Math.max(...kept.slice(20))).to.equal(10);
    expect(Math.min(...kept.slice(20))).to.equal(8);
  });

  it('forgets changes that are too old', () => {
    let nowMs = 0;
    const store = newStore({ historyAgeMs: 1000, nowMs: () => nowMs });
    for (const at of [0, 500, 1000, 1400]) {
      nowMs = at;
      store.put('configmaps', object('a', at));
    }
    expect(changes(store, store.compacted)).to.deep.equal([3, 4, 5]);
  });

  it('frees deleted objects with the history that held them', () => {
    const store = newStore();
    store.put('configmaps', object('a'));
    store.remove('configmaps', 'n', 'a');
    expect(names(store, 2)).to.deep.equal(['n/a']);
    store.compact();
    expect(names(store, 2)).to.deep.equal([]);
  });

  it('compacts only forwards and never past the present', () => {
    const store = newStore();
    store.put('configmaps', object('a'));
    store.compact(100);
    store.compact(1);
    expect(store.compacted).to.equal(store.revision);
  });

  it('calls back until told not to', () => {
    const store = newStore();
    let calls = 0;
    const stop = store.onChange(() => {
      calls += 1;
    });
    store.put('configmaps', object('a'));
    stop();
    store.put('configmaps', object('b'));
    expect(calls).to.equal(1);
  });
});
