import { expect } from 'chai';
import { profiles } from '../../../../lib/profile.ts';
import { defaultRunVersions, servedTypes } from '../../../../lib/sandbox/api/served-types.ts';
import type { Json } from '../../../../lib/sandbox/api/stored-object.ts';
import { VersionedStore } from '../../../../lib/sandbox/api/versioned-store.ts';
import { type WatchOptions, WatchSession } from '../../../../lib/sandbox/api/watch-session.ts';

const [, type] = servedTypes(profiles.svc, defaultRunVersions);
const object = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'n', uid: name, resourceVersion: '', creationTimestamp: '' },
});

function watchOf(options: Partial<WatchOptions> & { readonly room?: () => boolean }) {
  if (type === undefined) throw new Error('expected config maps among the types');
  const store = new VersionedStore({ historyLimit: 4, historyAgeMs: 1e9, nowMs: () => 0 });
  for (const name of ['a', 'b']) store.put(type.plural, object(name));
  const lines: string[] = [];
  const ends: string[] = [];
  const write = ({ type: what, object: about }: Json) => {
    lines.push(`${what} ${JSON.stringify(about).match(/"name":"(\w+)"/)?.[1] ?? ''}`.trim());
    return options.room?.() ?? true;
  };
  const session = new WatchSession(store, {
    type,
    namespace: '',
    selector: undefined,
    since: undefined,
    bookmarks: true,
    initialEvents: false,
    end: (how) => ends.push(how),
    ...options,
    write,
  });
  store.onChange(() => session.pump());
  session.pump();
  return { store, session, lines, ends, put: (name: string) => store.put(type.plural, object(name)) };
}

describe('WatchSession', () => {
  it('waits for a watcher that is full, and goes on where it stood', () => {
    const { session, lines, put } = watchOf({ room: () => false });
    put('c');
    expect(lines).to.deep.equal(['ADDED a']);
    session.drained();
    session.drained();
    session.drained();
    expect(lines).to.deep.equal(['ADDED a', 'ADDED b', 'ADDED c']);
  });

  it('cuts off a watcher that falls behind the history', () => {
    const { lines, ends, put } = watchOf({ room: () => false });
    for (let n = 0; n < 6; n += 1) put('c');
    expect(lines).to.deep.equal(['ADDED a']);
    expect(ends).to.deep.equal(['cut']);
  });

  it('keeps a watcher that reads, however much is written', () => {
    const { lines, ends, put } = watchOf({});
    for (let n = 0; n < 100; n += 1) put('c');
    expect(lines).to.have.length(102);
    expect(ends).to.deep.equal([]);
  });

  it('says no bookmark before what waits', () => {
    let room = true;
    const { session, lines, put } = watchOf({ room: () => room });
    room = false;
    put('c');
    put('d');
    session.bookmark();
    expect(lines).to.deep.equal(['ADDED a', 'ADDED b', 'ADDED c']);
    room = true;
    session.drained();
    session.bookmark();
    expect(lines.slice(3)).to.deep.equal(['ADDED d', 'BOOKMARK']);
  });

  it('says no bookmark to who did not ask for any', () => {
    const { session, lines, put } = watchOf({ bookmarks: false });
    put('c');
    session.bookmark();
    expect(lines.at(-1)).to.equal('ADDED c');
  });

  it('says nothing after it was closed', () => {
    const { session, lines, put } = watchOf({});
    session.close();
    put('c');
    session.bookmark();
    expect(lines).to.deep.equal(['ADDED a', 'ADDED b']);
  });
});
