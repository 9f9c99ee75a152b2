import { expect } from 'chai';
import { type Json, jsonAt, textAt } from '../../lib/sandbox/api/stored-object.ts';
import { type ServerUnderTest, serverUnderTest } from '../support/server-under-test.ts';
import { createRuns, lineOf, nameOf, taskRun, taskRuns, versionOf } from './requests.ts';

describe('API: watch', () => {
  let server: ServerUnderTest;
  let namespace: string;
  let path: string;

  before(async () => {
    server = await serverUnderTest();
  });
  after(() => server.close());
  beforeEach(async () => {
    namespace = await server.freshNamespace();
    path = taskRuns(namespace);
  });

  const label = (name: string, labels: Readonly<Record<string, string | null>>) =>
    server.request('PATCH', `${path}/${name}`, {
      body: { metadata: { labels } },
      contentType: 'application/merge-patch+json',
    });

  async function lines(count: number, query: Readonly<Record<string, string>>, at = path) {
    const watch = await server.watch(at, query);
    const taken = await watch.take(count);
    watch.close();
    return taken;
  }

  it('tells what happened after a version, in order', async () => {
    const [a] = await createRuns(server, namespace, ['a', 'b']);
    await label('a', { tier: 'web' });
    const { json: deleted } = await server.request('DELETE', `${path}/b`);
    await createRuns(server, namespace, ['c']);
    const told = await lines(4, { resourceVersion: versionOf(a) });

    expect(deleted.status).to.equal('Success');
    expect(told.map(lineOf)).to.deep.equal(['ADDED b', 'MODIFIED a', 'DELETED b', 'ADDED c']);
  });

  it('gives a deleted object the version of its deletion', async () => {
    const [a] = await createRuns(server, namespace, ['a']);
    await server.request('DELETE', `${path}/a`);
    const [deleted] = await lines(1, { resourceVersion: versionOf(a) });
    expect(Number(versionOf(deleted?.object))).to.be.above(Number(versionOf(a)));
  });

  it('goes on from the version of any line', async () => {
    const [a] = await createRuns(server, namespace, ['a', 'b', 'c']);
    const [b] = await lines(1, { resourceVersion: versionOf(a) });
    const told = await lines(1, { resourceVersion: versionOf(b?.object) });
    expect(told.map(lineOf)).to.deep.equal(['ADDED c']);
  });

  for (const query of [{}, { resourceVersion: '0' }]) {
    it(`begins with everything that exists, given ${JSON.stringify(query)}`, async () => {
      await createRuns(server, namespace, ['b', 'a']);
      const watch = await server.watch(path, { ...query });
      const first = await watch.take(2);
      await createRuns(server, namespace, ['c']);
      const [next] = await watch.take(1);
      watch.close();

      expect(first.map(lineOf)).to.have.members(['ADDED a', 'ADDED b']);
      expect(next && lineOf(next)).to.equal('ADDED c');
    });
  }

  it('tells what happens while it is open', async () => {
    const [a] = await createRuns(server, namespace, ['a']);
    const watch = await server.watch(path, { resourceVersion: versionOf(a) });
    await createRuns(server, namespace, ['b']);
    const [added] = await watch.take(1);
    watch.close();
    expect(added && lineOf(added)).to.equal('ADDED b');
  });

  it('keeps to its namespace', async () => {
    const [a] = await createRuns(server, namespace, ['a']);
    await createRuns(server, await server.freshNamespace(), ['elsewhere']);
    await createRuns(server, namespace, ['b']);
    expect((await lines(1, { resourceVersion: versionOf(a) })).map(lineOf)).to.deep.equal(['ADDED b']);
  });

  it('watches one object by its name', async () => {
    const [a] = await createRuns(server, namespace, ['a', 'b', 'c']);
    const told = await lines(1, { resourceVersion: versionOf(a), fieldSelector: 'metadata.name=c' });
    expect(told.map(lineOf)).to.deep.equal(['ADDED c']);
  });

  it('adds what begins to match a selector and deletes what no longer does', async () => {
    const [a] = await createRuns(server, namespace, ['a', 'b']);
    await label('b', { tier: 'web' });
    await label('b', { tier: 'web', more: 'x' });
    await label('b', { tier: null });
    const told = await lines(3, { resourceVersion: versionOf(a), labelSelector: 'tier=web' });
    expect(told.map(lineOf)).to.deep.equal(['ADDED b', 'MODIFIED b', 'DELETED b']);
  });

  /** One change, then a bookmark. A server says nothing of where it is until something was written somewhere. */
  async function changeAndBookmark(): Promise<readonly Json[]> {
    const [a] = await createRuns(server, namespace, ['a', 'b']);
    const query = { resourceVersion: versionOf(a), allowWatchBookmarks: 'true', timeoutSeconds: '6' };
    const watch = await server.watch(path, query);
    const added = await watch.take(1);
    await createRuns(server, await server.freshNamespace(), ['elsewhere']);
    const told = [...added, ...(await watch.take(1))];
    watch.close();
    return told;
  }

  it('says by bookmarks how far it has come', async () => {
    const told = await changeAndBookmark();
    const [added, bookmark] = told;

    expect(told.map(({ type }) => type)).to.deep.equal(['ADDED', 'BOOKMARK']);
    expect(Number(versionOf(bookmark?.object))).to.be.above(Number(versionOf(added?.object)));
    expect(bookmark?.object).to.include({ kind: 'TaskRun', apiVersion: 'svc.dev/v1' });
    expect(nameOf(bookmark?.object)).to.equal('');
  });

  it('can be resumed from a bookmark', async () => {
    const [, bookmark] = await changeAndBookmark();
    await createRuns(server, namespace, ['c']);
    const told = await lines(1, { resourceVersion: versionOf(bookmark?.object) });
    expect(told.map(lineOf)).to.deep.equal(['ADDED c']);
  });

  it('streams a list and marks its end', async () => {
    await createRuns(server, namespace, ['a', 'b']);
    const told = await lines(3, {
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: 'true',
    });
    const annotations = jsonAt(jsonAt(told[2]?.object, 'metadata'), 'annotations');

    expect(told.map(({ type }) => type)).to.deep.equal(['ADDED', 'ADDED', 'BOOKMARK']);
    expect(annotations).to.deep.equal({ 'k8s.io/initial-events-end': 'true' });
  });

  it('refuses initial events without a version match', async () => {
    const watch = await server.watch(path, { sendInitialEvents: 'true' });
    watch.close();
    expect(watch.status).to.equal(422);
  });

  it('ends when its time is over', async () => {
    const [a] = await createRuns(server, namespace, ['a']);
    const watch = await server.watch(path, { resourceVersion: versionOf(a), timeoutSeconds: '1' });
    const told: unknown[] = [];
    for await (const line of watch) told.push(line);
    expect(told).to.deep.equal([]);
  });

  it('says 410 inside a 200 when the history does not reach back that far', async () => {
    await createRuns(server, namespace, ['a']);
    await server.compact();
    const watch = await server.watch(path, { resourceVersion: '1' });
    const told: unknown[] = [];
    for await (const line of watch) told.push(line);
    const [line] = told;

    expect(watch.status).to.equal(200);
    expect(told).to.have.length(1);
    expect(line).to.include({ type: 'ERROR' });
    expect(jsonAt(line, 'object')).to.include({ kind: 'Status', status: 'Failure', reason: 'Expired', code: 410 });
    expect(textAt(jsonAt(line, 'object'), 'message')).to.match(/^too old resource version: 1 \(\d+\)$/);
  });

  it('survives a compaction while it is up to date', async () => {
    const [a] = await createRuns(server, namespace, ['a']);
    const watch = await server.watch(path, { resourceVersion: versionOf(a) });
    await createRuns(server, namespace, ['b']);
    await watch.take(1);
    await server.compact();
    await server.request('POST', path, { body: taskRun('c') });
    const [next] = await watch.take(1);
    watch.close();
    expect(next && lineOf(next)).to.equal('ADDED c');
  });
});
