import { expect } from 'chai';
import { jsonAt, textAt } from '../../lib/sandbox/api/stored-object.ts';
import { type ServerUnderTest, serverUnderTest } from '../support/server-under-test.ts';
import { createRuns, itemsOf, namesOf, refusal, taskRun, taskRuns, versionOf } from './requests.ts';

describe('API: list', () => {
  let server: ServerUnderTest;
  let path: string;
  let namespace: string;

  before(async () => {
    server = await serverUnderTest();
  });
  after(() => server.close());
  beforeEach(async () => {
    namespace = await server.freshNamespace();
    path = taskRuns(namespace);
  });

  const list = (query: Readonly<Record<string, string>> = {}) => server.request('GET', path, { query });
  const continueOf = (answer: { readonly json: unknown }) => textAt(jsonAt(answer.json, 'metadata'), 'continue');

  it('gives the objects in name order under the kind of the list', async () => {
    await createRuns(server, namespace, ['b', 'c', 'a']);
    const answer = await list();
    expect(answer.status).to.equal(200);
    expect(answer.json).to.include({ apiVersion: 'svc.dev/v1', kind: 'TaskRunList' });
    expect(namesOf(answer)).to.deep.equal(['a', 'b', 'c']);
    expect(Number(versionOf(answer.json))).to.be.at.least(Number(versionOf(itemsOf(answer)[0])));
  });

  it('writes the objects of a custom resource before what it says of the list, and other objects behind it', async () => {
    await createRuns(server, namespace, ['a']);
    const answer = await list();
    const maps = await server.request('GET', `/api/v1/namespaces/${namespace}/configmaps`);
    expect(Object.keys(Object(answer.json))).to.deep.equal(['apiVersion', 'items', 'kind', 'metadata']);
    expect(Object.keys(Object(maps.json))).to.deep.equal(['kind', 'apiVersion', 'metadata', 'items']);
  });

  it('goes on at the first page whatever happened since', async () => {
    await createRuns(server, namespace, ['a', 'b', 'c', 'd']);
    const first = await list({ limit: '2' });
    await server.request('DELETE', `${path}/c`);
    await createRuns(server, namespace, ['ca']);
    const second = await list({ limit: '2', continue: continueOf(first) });

    expect(namesOf(first)).to.deep.equal(['a', 'b']);
    expect(jsonAt(first.json, 'metadata').remainingItemCount).to.equal(2);
    expect(namesOf(second)).to.deep.equal(['c', 'd']);
    expect(continueOf(second)).to.equal('');
    expect(versionOf(second.json)).to.equal(versionOf(first.json));
  });

  it('lists at exactly a version of the past', async () => {
    const [, second] = await createRuns(server, namespace, ['a', 'b', 'c']);
    await server.request('DELETE', `${path}/a`);
    const answer = await list({ resourceVersion: versionOf(second), resourceVersionMatch: 'Exact' });

    expect(namesOf(answer)).to.deep.equal(['a', 'b']);
    expect(versionOf(answer.json)).to.equal(versionOf(second));
  });

  it('pages through a version of the past', async () => {
    const [, , third] = await createRuns(server, namespace, ['a', 'b', 'c']);
    await server.request('DELETE', `${path}/b`);
    const first = await list({ resourceVersion: versionOf(third), resourceVersionMatch: 'Exact', limit: '1' });
    const second = await list({ limit: '5', continue: continueOf(first) });

    expect([...namesOf(first), ...namesOf(second)]).to.deep.equal(['a', 'b', 'c']);
  });

  it('lists nothing older than asked', async () => {
    const [, second] = await createRuns(server, namespace, ['a', 'b']);
    const answer = await list({ resourceVersion: versionOf(second), resourceVersionMatch: 'NotOlderThan' });
    expect(namesOf(answer)).to.deep.equal(['a', 'b']);
  });

  it('takes any version for version 0', async () => {
    await createRuns(server, namespace, ['a', 'b']);
    expect((await list({ resourceVersion: '0' })).status).to.equal(200);
  });

  it('refuses a version that is yet to come', async () => {
    const query = { resourceVersion: '1000000000', resourceVersionMatch: 'NotOlderThan' };
    const answer = await list(query);
    expect(refusal(answer)).to.deep.equal({ status: 504, kind: 'Status', reason: 'Timeout' });
    expect(answer.json.message).to.match(/^(Timeout: )?Too large resource version: 1000000000, current: \d+$/);
  });

  it('selects by labels', async () => {
    const bodies = [taskRun('a', { tier: 'web' }), taskRun('b', { tier: 'db' }), taskRun('c')];
    for (const body of bodies) await server.request('POST', path, { body });
    const cases = [
      { labelSelector: 'tier=web', names: ['a'] },
      { labelSelector: 'tier', names: ['a', 'b'] },
      { labelSelector: '!tier', names: ['c'] },
      { labelSelector: 'tier!=web', names: ['b', 'c'] },
      { labelSelector: 'tier in (web, db)', names: ['a', 'b'] },
      { labelSelector: 'tier notin (web)', names: ['b', 'c'] },
      { labelSelector: 'tier,tier!=web', names: ['b'] },
    ];
    for (const { labelSelector, names } of cases) {
      expect(namesOf(await list({ labelSelector })), labelSelector).to.deep.equal(names);
    }
  });

  it('selects by name', async () => {
    await createRuns(server, namespace, ['a', 'b']);
    expect(namesOf(await list({ fieldSelector: 'metadata.name=b' }))).to.deep.equal(['b']);
    expect(namesOf(await list({ fieldSelector: 'metadata.name!=b' }))).to.deep.equal(['a']);
  });

  const refused = [
    { query: { fieldSelector: 'spec.nothing=b' }, status: 400, reason: 'BadRequest' },
    { query: { labelSelector: '=b' }, status: 400, reason: 'BadRequest' },
    { query: { continue: 'nonsense' }, status: 400, reason: 'BadRequest' },
    { query: { resourceVersionMatch: 'Exact' }, status: 422, reason: 'Invalid' },
    { query: { resourceVersionMatch: 'Exact', resourceVersion: '0' }, status: 422, reason: 'Invalid' },
    { query: { resourceVersionMatch: 'Newest', resourceVersion: '1' }, status: 422, reason: 'Invalid' },
  ];
  for (const { query, status, reason } of refused) {
    it(`answers ${status} to ${JSON.stringify(query)}`, async () => {
      expect(refusal(await list({ ...query }))).to.deep.equal({ status, kind: 'Status', reason });
    });
  }

  it('refuses to go on at another version than the first page', async () => {
    const [a] = await createRuns(server, namespace, ['a', 'b']);
    const first = await list({ limit: '1' });
    const token = { limit: '1', continue: continueOf(first) };
    const other = await list({ ...token, resourceVersion: versionOf(a) });
    const match = await list({ ...token, resourceVersion: versionOf(a), resourceVersionMatch: 'Exact' });
    expect(refusal(other)).to.deep.equal({ status: 400, kind: 'Status', reason: 'BadRequest' });
    expect(refusal(match)).to.deep.equal({ status: 422, kind: 'Status', reason: 'Invalid' });
  });

  it('lists all namespaces at once', async () => {
    const other = await server.freshNamespace();
    await createRuns(server, namespace, ['here']);
    await createRuns(server, other, ['there']);
    const names = namesOf(await server.request('GET', '/apis/svc.dev/v1/taskruns'));
    expect(names).to.include.members(['here', 'there']);
  });

  it('answers 410 for a version that was compacted', async () => {
    const [first] = await createRuns(server, namespace, ['a', 'b']);
    await server.compact();
    await createRuns(server, namespace, ['c']);
    const answer = await list({ resourceVersion: versionOf(first), resourceVersionMatch: 'Exact' });
    expect(refusal(answer)).to.deep.equal({ status: 410, kind: 'Status', reason: 'Expired' });
  });

  it('answers 410 for a page of a list that was compacted, with a token to go on at the present', async () => {
    await createRuns(server, namespace, ['a', 'b', 'c']);
    const first = await list({ limit: '1' });
    await createRuns(server, namespace, ['d']);
    await server.compact();
    await createRuns(server, namespace, ['e']);
    const expired = await list({ limit: '1', continue: continueOf(first) });
    const rest = await list({ continue: continueOf(expired) });

    expect(refusal(expired)).to.deep.equal({ status: 410, kind: 'Status', reason: 'Expired' });
    expect(namesOf(rest)).to.deep.equal(['b', 'c', 'd', 'e']);
  });
});
