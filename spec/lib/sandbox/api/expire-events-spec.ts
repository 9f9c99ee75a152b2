import { expect } from 'chai';
import { expireEvents } from '../../../../lib/sandbox/api/expire-events.ts';
import type { ObjectMeta, StoredObject } from '../../../../lib/sandbox/api/stored-object.ts';

const nowMs = Date.parse('2026-01-01T01:00:00Z');
const hourMs = 3_600_000;

function event(metadata: Partial<ObjectMeta>, lastTimestamp?: string): StoredObject {
  const meta = { name: 'e', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata };
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: meta,
    ...(lastTimestamp === undefined ? {} : { lastTimestamp }),
  };
}

function removedOf(...events: readonly StoredObject[]): readonly string[] {
  const removed: string[] = [];
  const access = {
    list: (plural: string, namespace: string) => (plural === 'events' && namespace === '' ? events : []),
    remove: (plural: string, namespace: string, name: string) => void removed.push(`${plural} ${namespace}/${name}`),
    get: () => undefined,
    apply: () => expect.fail('nothing is applied'),
    patch: () => expect.fail('nothing is patched'),
  };
  expireEvents(access, hourMs, nowMs);
  return removed;
}

describe('expireEvents', () => {
  it('keeps an event that is exactly as old as it may get', () => {
    expect(removedOf(event({}, '2026-01-01T00:00:00Z'))).to.deep.equal([]);
  });

  it('removes an event that is older, by its own namespace and name', () => {
    const old = event({ name: 'old', namespace: 'shop' }, '2025-12-31T23:59:59Z');
    const young = event({ name: 'new', namespace: 'shop' }, '2026-01-01T00:59:59Z');
    expect(removedOf(old, young)).to.deep.equal(['events shop/old']);
  });

  it('goes by the creation of an event that was never repeated', () => {
    const old = event({ name: 'old', namespace: 'shop', creationTimestamp: '2025-12-31T23:00:00Z' });
    expect(removedOf(old, event({ name: 'new' }))).to.deep.equal(['events shop/old']);
  });

  it('lets a repetition count more than the creation', () => {
    expect(removedOf(event({ creationTimestamp: '2025-12-31T20:00:00Z' }, '2026-01-01T00:30:00Z'))).to.deep.equal([]);
  });

  it('removes an event without a namespace', () => {
    expect(removedOf(event({ creationTimestamp: '2025-12-31T20:00:00Z' }))).to.deep.equal(['events /e']);
  });

  it('keeps an event whose time cannot be read', () => {
    expect(removedOf(event({}, 'yesterday'))).to.deep.equal([]);
  });
});
