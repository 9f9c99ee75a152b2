import { expect } from 'chai';
import { type Json, jsonAt, textAt } from '../../lib/sandbox/api/stored-object.ts';
import { type ServerUnderTest, serverUnderTest } from '../support/server-under-test.ts';
import { createRuns, namesOf, refusal, taskRun, taskRuns, versionOf } from './requests.ts';

const mergePatch = 'application/merge-patch+json';
const jsonPatch = 'application/json-patch+json';
const status = { conditions: [{ type: 'Succeeded', status: 'Unknown', reason: 'Running' }] };

describe('API: create, update, patch, delete', () => {
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

  const create = async (body: Json = taskRun('a')) => server.request('POST', path, { body });
  const meta = (object: Json) => jsonAt(object, 'metadata');
  const made = async () => (await create()).json;
  const patch = (name: string, body: unknown, contentType: string) =>
    server.request('PATCH', `${path}/${name}`, { body, contentType });

  it('fills in the system metadata of a new object', async () => {
    const { status: code, json } = await create({ ...taskRun('a'), status });
    expect(code).to.equal(201);
    expect(meta(json)).to.include({ name: 'a', namespace, generation: 1 });
    expect(textAt(meta(json), 'uid')).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-/);
    expect(textAt(meta(json), 'creationTimestamp')).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(versionOf(json)).to.match(/^\d+$/);
  });

  it('begins without a status, whatever was sent', async () => {
    const { json } = await create({ ...taskRun('a'), status });
    expect(json.status).to.equal(undefined);
  });

  it('reads back what was created', async () => {
    const json = await made();
    const answer = await server.request('GET', `${path}/a`);
    expect(answer).to.deep.include({ status: 200, json });
  });

  it('makes up a name', async () => {
    const { json } = await create({ ...taskRun(''), metadata: { generateName: 'build-' } });
    expect(textAt(meta(json), 'name')).to.match(/^build-[a-z0-9]{5}$/);
  });

  it('counts versions up over all resources', async () => {
    const [a, b] = await createRuns(server, namespace, ['a', 'b']);
    expect(Number(versionOf(b))).to.be.above(Number(versionOf(a)));
  });

  const refused = [
    { why: 'a name that is taken', body: taskRun('a'), status: 409, reason: 'AlreadyExists' },
    { why: 'a name in capitals', body: taskRun('A'), status: 422, reason: 'Invalid' },
    { why: 'no name at all', body: taskRun(''), status: 422, reason: 'Invalid' },
    { why: 'another kind', body: { ...taskRun('b'), kind: 'PipelineRun' }, status: 422, reason: 'Invalid' },
    { why: 'no kind', body: { ...taskRun('b'), kind: undefined }, status: 400, reason: 'BadRequest' },
    { why: 'another version', body: { ...taskRun('b'), apiVersion: 'svc.dev/v9' }, status: 400, reason: 'BadRequest' },
    {
      why: 'another namespace',
      body: { ...taskRun('b'), metadata: { name: 'b', namespace: 'default' } },
      status: 400,
      reason: 'BadRequest',
    },
    { why: 'no JSON', body: '{"kind":', status: 400, reason: 'BadRequest' },
  ];
  for (const { why, body, status: code, reason } of refused) {
    it(`refuses to create with ${why}`, async () => {
      await create();
      const answer = await server.request('POST', path, { body });
      expect(refusal(answer)).to.deep.equal({ status: code, kind: 'Status', reason });
    });
  }

  it('refuses to create in a namespace that is not there', async () => {
    const answer = await server.request('POST', taskRuns('nowhere'), { body: taskRun('a') });
    expect(refusal(answer)).to.deep.equal({ status: 404, kind: 'Status', reason: 'NotFound' });
    expect(answer.json.message).to.equal('namespaces "nowhere" not found');
  });

  it('replaces the spec and counts its generations, and leaves the status alone', async () => {
    const json = await made();
    const answer = await server.request('PUT', `${path}/a`, {
      body: { ...json, spec: { taskRef: { name: 'test' } }, status },
    });
    expect(answer.status).to.equal(200);
    expect(answer.json.spec).to.deep.equal({ taskRef: { name: 'test' } });
    expect(answer.json.status).to.equal(undefined);
    expect(meta(answer.json)).to.include({ generation: 2, uid: meta(json).uid });
  });

  it('replaces only the status through its subresource', async () => {
    const json = await made();
    const body = {
      ...json,
      spec: { taskRef: { name: 'test' } },
      status,
      metadata: { ...meta(json), labels: { a: 'b' } },
    };
    const answer = await server.request('PUT', `${path}/a/status`, { body });
    expect(answer.json).to.deep.include({ spec: json.spec, status });
    expect(meta(answer.json)).to.include({ generation: 1 });
    expect(jsonAt(meta(answer.json), 'labels')).to.deep.equal({});
    expect((await server.request('GET', `${path}/a/status`)).json).to.deep.equal(answer.json);
  });

  it('writes nothing when nothing changed', async () => {
    const json = await made();
    const answer = await server.request('PUT', `${path}/a`, { body: json });
    expect(versionOf(answer.json)).to.equal(versionOf(json));
  });

  it('refuses an update made from an older version', async () => {
    const json = await made();
    await patch('a', { metadata: { labels: { a: 'b' } } }, mergePatch);
    for (const at of [`${path}/a`, `${path}/a/status`]) {
      const answer = await server.request('PUT', at, { body: { ...json, status } });
      expect(refusal(answer)).to.deep.equal({ status: 409, kind: 'Status', reason: 'Conflict' });
      expect(answer.json.message).to.equal(
        'Operation cannot be fulfilled on taskruns.svc.dev "a": the object has been modified; ' +
          'please apply your changes to the latest version and try again',
      );
    }
  });

  it('refuses an update without a version, under another name, or of nothing', async () => {
    await made();
    const answers = [
      await server.request('PUT', `${path}/a`, { body: taskRun('a') }),
      await server.request('PUT', `${path}/a`, { body: taskRun('b') }),
      await server.request('PUT', `${path}/b`, { body: taskRun('b') }),
    ];
    expect(answers.map(refusal)).to.deep.equal([
      { status: 422, kind: 'Status', reason: 'Invalid' },
      { status: 400, kind: 'Status', reason: 'BadRequest' },
      { status: 404, kind: 'Status', reason: 'NotFound' },
    ]);
  });

  it('merges a merge patch: null removes, lists are replaced', async () => {
    await create({ ...taskRun('a', { a: 'b', c: 'd' }), spec: { params: [1, 2], deep: { x: 1 } } });
    const body = { metadata: { labels: { a: null } }, spec: { params: [3], deep: { y: 2 } } };
    const { status: code, json } = await patch('a', body, mergePatch);
    expect(code).to.equal(200);
    expect(meta(json)).to.deep.include({ labels: { c: 'd' }, generation: 2 });
    expect(json.spec).to.deep.equal({ params: [3], deep: { x: 1, y: 2 } });
  });

  it('applies a JSON patch', async () => {
    await create({ ...taskRun('a'), spec: { list: [1, 2], old: true } });
    const operations = [
      { op: 'test', path: '/spec/old', value: true },
      { op: 'remove', path: '/spec/old' },
      { op: 'add', path: '/spec/list/-', value: 3 },
      { op: 'replace', path: '/spec/list/0', value: 0 },
      { op: 'move', from: '/spec/list/1', path: '/spec/moved' },
    ];
    const { json } = await patch('a', operations, jsonPatch);
    expect(json.spec).to.deep.equal({ list: [0, 3], moved: 2 });
  });

  it('patches only the status through its subresource', async () => {
    await made();
    const body = { status, spec: { other: true } };
    const { json } = await server.request('PATCH', `${path}/a/status`, { body, contentType: mergePatch });
    expect(json).to.deep.include({ status, spec: taskRun('a').spec });
  });

  const patches = [
    {
      why: 'a failed test',
      body: [{ op: 'test', path: '/spec/taskRef/name', value: 'x' }],
      type: jsonPatch,
      code: 422,
    },
    { why: 'a path that is not there', body: [{ op: 'remove', path: '/spec/no' }], type: jsonPatch, code: 422 },
    { why: 'a step into a text', body: [{ op: 'add', path: '/kind/x/y', value: 1 }], type: jsonPatch, code: 422 },
    {
      why: 'an index that is not there',
      body: [{ op: 'add', path: '/spec/list/7', value: 1 }],
      type: jsonPatch,
      code: 422,
    },
    { why: 'an unknown operation', body: [{ op: 'merge', path: '/spec' }], type: jsonPatch, code: 422 },
    { why: 'an older version', body: { metadata: { resourceVersion: '1' } }, type: mergePatch, code: 409 },
    { why: 'no object', body: [], type: mergePatch, code: 400 },
    { why: 'no operations', body: {}, type: jsonPatch, code: 400 },
    { why: 'a strategic merge', body: {}, type: 'application/strategic-merge-patch+json', code: 415 },
    { why: 'plain JSON', body: {}, type: 'application/json', code: 415 },
  ];
  for (const { why, body, type, code } of patches) {
    it(`answers ${code} to a patch with ${why}`, async () => {
      await made();
      const answer = await patch('a', body, type);
      expect({ status: answer.status, kind: answer.json.kind }).to.deep.equal({ status: code, kind: 'Status' });
    });
  }

  it('takes a JSON patch by its escapes and copies', async () => {
    await create({ ...taskRun('a'), spec: { 'a/b': { '~c': 1 }, list: [{ x: 1 }] } });
    const operations = [
      { op: 'copy', from: '/spec/a~1b/~0c', path: '/spec/copied' },
      { op: 'replace', path: '/spec/list/0/x', value: 2 },
      { op: 'remove', path: '/spec/a~1b' },
    ];
    expect((await patch('a', operations, jsonPatch)).json.spec).to.deep.equal({ copied: 1, list: [{ x: 2 }] });
  });

  it('refuses an update meant for another object of the same name', async () => {
    const json = await made();
    const body = { ...json, metadata: { ...meta(json), uid: '00000000-0000-0000-0000-000000000000' } };
    expect(refusal(await server.request('PUT', `${path}/a`, { body }))).to.include({ status: 409, reason: 'Conflict' });
  });

  it('answers 404 to a patch of nothing', async () => {
    expect(refusal(await patch('a', {}, mergePatch))).to.include({ status: 404, reason: 'NotFound' });
  });

  it('deletes, and says what', async () => {
    const json = await made();
    const answer = await server.request('DELETE', `${path}/a`);
    expect(answer.status).to.equal(200);
    expect(answer.json).to.deep.include({
      status: 'Success',
      details: { name: 'a', group: 'svc.dev', kind: 'taskruns', uid: meta(json).uid },
    });
    const gone = await server.request('GET', `${path}/a`);
    expect(refusal(gone)).to.deep.equal({ status: 404, kind: 'Status', reason: 'NotFound' });
    expect(gone.json.message).to.equal('taskruns.svc.dev "a" not found');
  });

  it('deletes only what was meant', async () => {
    const json = await made();
    const preconditions = [{ uid: '00000000-0000-0000-0000-000000000000' }, { resourceVersion: '1' }];
    for (const wrong of preconditions) {
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: wrong };
      expect(refusal(await server.request('DELETE', `${path}/a`, { body }))).to.include({
        status: 409,
        reason: 'Conflict',
      });
    }
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: meta(json).uid } };
    expect((await server.request('DELETE', `${path}/a`, { body })).status).to.equal(200);
  });

  it('keeps an object with finalizers until they are gone', async () => {
    await create({ ...taskRun('a'), metadata: { name: 'a', finalizers: ['svc.dev/keep'] } });
    const marked = await server.request('DELETE', `${path}/a`);
    expect(textAt(meta(marked.json), 'deletionTimestamp')).to.match(/Z$/);
    expect((await server.request('GET', `${path}/a`)).status).to.equal(200);
    await patch('a', { metadata: { finalizers: null } }, mergePatch);
    expect((await server.request('GET', `${path}/a`)).status).to.equal(404);
  });

  it('deletes a whole collection, or what a selector picks of it', async () => {
    for (const body of [taskRun('a', { tier: 'web' }), taskRun('b'), taskRun('c')]) await create(body);
    const picked = await server.request('DELETE', path, { query: { labelSelector: 'tier=web' } });
    const left = namesOf(await server.request('GET', path));
    await server.request('DELETE', path);
    expect(picked.status).to.equal(200);
    expect(left).to.deep.equal(['b', 'c']);
    expect(namesOf(await server.request('GET', path))).to.deep.equal([]);
  });

  it('makes a run anew under the same name with another uid', async () => {
    const first = await made();
    await server.request('DELETE', `${path}/a`);
    expect(meta(await made()).uid).not.to.equal(meta(first).uid);
  });
});
