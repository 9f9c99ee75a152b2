import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { profiles } from '../../../../lib/profile.ts';
import { apiErrors } from '../../../../lib/sandbox/api/api-error.ts';
import { sendError } from '../../../../lib/sandbox/api/handle-request.ts';
import type { SandboxApi } from '../../../../lib/sandbox/api/sandbox-api.ts';
import { startSandboxApi } from '../../../../lib/sandbox/api/start-sandbox-api.ts';
import { type Json, jsonAt } from '../../../../lib/sandbox/api/stored-object.ts';

const runs = '/apis/svc.dev/v1/namespaces/shop/taskruns';
const maps = '/api/v1/namespaces/shop/configmaps';
const events = '/api/v1/namespaces/shop/events';
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

const run = (name: string, metadata: Json = {}) => ({
  apiVersion: 'svc.dev/v1',
  kind: 'TaskRun',
  metadata: { name, namespace: 'shop', ...metadata },
  spec: { taskRef: { name: 'build' } },
});
const map = (name: string, metadata: Json = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop', ...metadata },
  data: { a: '1' },
});

interface Asked {
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
}

describe('handleRequest', () => {
  let api: SandboxApi;
  beforeEach(async () => {
    api = await startSandboxApi({ profile: profiles.svc, namespaces: ['shop'] });
  });
  afterEach(() => api.close());

  const ask = async (method: string, path: string, { body, contentType, accept }: Asked = {}) => {
    const answer = await fetch(api.url + path, {
      method,
      headers: {
        accept: accept ?? 'application/json',
        ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const json: Json = JSON.parse(await answer.text());
    return { status: answer.status, json };
  };
  const names = (plural: string) => api.list(plural, 'shop').map(({ metadata }) => metadata.name);

  it('creates, and gives what it made', async () => {
    const made = await ask('POST', runs, { body: run('a') });
    expect(made.status).to.equal(201);
    expect(made.json).to.deep.include({ kind: 'TaskRun', spec: run('a').spec });
    expect((await ask('GET', `${runs}/a`)).json).to.deep.equal(made.json);
  });

  it('gives one object as a table', async () => {
    api.apply(map('a'));
    const { json } = await ask('GET', `${maps}/a`, { accept: table });
    expect(json).to.include({ kind: 'Table' });
    expect(json.rows).to.have.length(1);
  });

  it('lists as a table, and as objects', async () => {
    api.apply(run('a'));
    api.apply(run('b'));
    expect((await ask('GET', runs, { accept: table })).json.rows).to.have.length(2);
    const { json } = await ask('GET', runs);
    expect(json).to.include({ kind: 'TaskRunList' });
    expect(json.items).to.have.length(2);
  });

  it('makes by PUT what may be made so, and then updates it', async () => {
    const event = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e', namespace: 'shop' }, reason: 'Started' };
    const about = { involvedObject: { kind: 'TaskRun', name: 'a', namespace: 'shop' } };
    expect((await ask('PUT', `${events}/e`, { body: { ...event, ...about } })).status).to.equal(201);
    const again = await ask('PUT', `${events}/e`, { body: { ...event, ...about, reason: 'Failed' } });
    expect(again.status).to.equal(200);
    expect(again.json).to.include({ reason: 'Failed' });
  });

  for (const [contentType, body] of [
    ['application/merge-patch+json', { data: { b: '2' } }],
    ['application/strategic-merge-patch+json', { data: { b: '2' } }],
    ['application/json-patch+json', [{ op: 'add', path: '/data/b', value: '2' }]],
  ] as const) {
    it(`patches by ${contentType}`, async () => {
      api.apply(map('a'));
      const { status, json } = await ask('PATCH', `${maps}/a`, { contentType, body });
      expect(status).to.equal(200);
      expect(json.data).to.deep.equal({ a: '1', b: '2' });
    });
  }

  it('takes no strategic patch of a custom resource', async () => {
    api.apply(run('a'));
    const contentType = 'application/strategic-merge-patch+json';
    expect((await ask('PATCH', `${runs}/a`, { contentType, body: {} })).status).to.equal(415);
  });

  it('deletes one, and says which', async () => {
    const { uid } = api.apply(run('a')).metadata;
    const core = api.apply(map('a')).metadata;
    expect((await ask('DELETE', `${runs}/a`)).json.details).to.deep.equal({
      name: 'a',
      group: 'svc.dev',
      kind: 'taskruns',
      uid,
    });
    expect((await ask('DELETE', `${maps}/a`)).json.details).to.deep.equal({
      name: 'a',
      kind: 'configmaps',
      uid: core.uid,
    });
    expect([names('taskruns'), names('configmaps')]).to.deep.equal([[], []]);
  });

  it('only marks what has finalizers, and gives it', async () => {
    api.apply(run('a', { finalizers: ['svc.dev/wait'] }));
    const { status, json } = await ask('DELETE', `${runs}/a`);
    expect(status).to.equal(200);
    expect(json.kind).to.equal('TaskRun');
    expect(jsonAt(json, 'metadata')).to.have.property('deletionTimestamp');
    expect(names('taskruns')).to.deep.equal(['a']);
  });

  it('deletes the part of a collection that is selected', async () => {
    api.apply(map('a', { labels: { app: 'x' } }));
    api.apply(map('b'));
    const { status, json } = await ask('DELETE', `${maps}?labelSelector=app%3Dx`);
    expect(status).to.equal(200);
    expect(json.items).to.have.length(1);
    expect(names('configmaps')).to.deep.equal(['b']);
  });

  it('holds the options of a collection against each object', async () => {
    api.apply(map('a'));
    const body = { preconditions: { uid: 'another' } };
    expect((await ask('DELETE', maps, { body })).status).to.equal(409);
    expect(names('configmaps')).to.deep.equal(['a']);
  });

  for (const [method, path, status, message] of [
    ['PUT', runs, 400, 'name must be provided'],
    ['PATCH', runs, 400, 'name must be provided'],
    ['PUT', maps, 405, 'update is not supported on resources of kind "configmaps"'],
    ['POST', `${maps}/a`, 405, 'create is not supported on resources of kind "configmaps"'],
    ['POST', '/api/v1/configmaps', 405, 'create is not supported on resources of kind "configmaps"'],
    ['OPTIONS', maps, 405, 'options is not supported on resources of kind "configmaps"'],
    ['OPTIONS', runs, 405, 'options is not supported on resources of kind "taskruns.svc.dev"'],
    ['DELETE', '/api/v1/configmaps', 405, 'deletecollection is not supported on resources of kind "configmaps"'],
    ['DELETE', '/api/v1/namespaces', 405, 'delete is not supported on resources of kind "namespaces"'],
    ['DELETE', `${runs}/a/status`, 405, 'delete is not supported on resources of kind "taskruns.svc.dev"'],
    ['GET', `${runs}/none`, 404, 'taskruns.svc.dev "none" not found'],
  ] as const) {
    it(`answers ${method} ${path} with ${status}`, async () => {
      const answer = await ask(method, path);
      expect([answer.status, answer.json.message]).to.deep.equal([status, message]);
    });
  }

  it('creates a custom resource at a path that names one, as a kube-apiserver does', async () => {
    expect((await ask('POST', `${runs}/b`, { body: run('a') })).status).to.equal(201);
    expect(names('taskruns')).to.deep.equal(['a']);
  });
});

describe('sendError', () => {
  let server: Server | undefined;
  afterEach(async () => {
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
  });

  const answerOf = async (error: unknown, begin = false) => {
    server = createServer((_, response) => {
      if (begin) response.write('{');
      sendError(response, error);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  };

  it('answers a refusal as its Status, with the wait that it asks for', async () => {
    const answer = await answerOf(apiErrors.tooManyRequests());
    expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([429, '1']);
    expect(await answer.json()).to.include({ kind: 'Status', reason: 'TooManyRequests' });
  });

  it('answers anything else with 500, and not with what it says', async () => {
    const answer = await answerOf(new TypeError('a secret'));
    expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([500, null]);
    expect(await answer.json()).to.include({ reason: 'InternalError', message: 'Internal error occurred' });
  });

  it('cuts an answer that has begun', async () => {
    const text = answerOf(apiErrors.full(), true).then((answer) => answer.text());
    const cut = await text.then(
      () => false,
      () => true,
    );
    expect(cut).to.equal(true);
  });
});
