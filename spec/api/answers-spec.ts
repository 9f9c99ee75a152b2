import { expect } from 'chai';
import { isJson, textAt } from '../../lib/sandbox/api/stored-object.ts';
import { type ServerUnderTest, serverUnderTest } from '../support/server-under-test.ts';
import { configMaps, nameOf, refusal, taskRun, taskRuns } from './requests.ts';

describe('API: discovery and refusals', () => {
  let server: ServerUnderTest;

  before(async () => {
    server = await serverUnderTest();
  });
  after(() => server.close());

  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    server.request('GET', path, { headers });
  const rowsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

  for (const path of ['/healthz', '/livez', '/readyz', '/version']) {
    it(`answers ${path}`, async () => {
      expect((await get(path)).status).to.equal(200);
    });
  }

  it('says its version', async () => {
    const { json } = await get('/version');
    expect(json.gitVersion).to.match(/^v1\.\d+\.\d+/);
    expect(json.major).to.equal('1');
  });

  it('names its groups, each with a preferred version', async () => {
    const { json } = await get('/apis');
    const groups = new Map(rowsOf(json.groups).map((group) => [textAt(group, 'name'), group]));
    expect(json.kind).to.equal('APIGroupList');
    expect(groups.get('coordination.k8s.io')).to.deep.nested.include({ 'preferredVersion.version': 'v1' });
    expect(groups.get('svc.dev')).to.deep.nested.include({ 'preferredVersion.groupVersion': 'svc.dev/v1' });
    expect((await get('/apis/svc.dev')).json).to.include({ kind: 'APIGroup', name: 'svc.dev' });
    expect((await get('/api')).json).to.deep.include({ kind: 'APIVersions', versions: ['v1'] });
  });

  const served = [
    { path: '/api/v1', name: 'configmaps', kind: 'ConfigMap', namespaced: true },
    { path: '/api/v1', name: 'events', kind: 'Event', namespaced: true },
    { path: '/api/v1', name: 'namespaces', kind: 'Namespace', namespaced: false },
    { path: '/apis/coordination.k8s.io/v1', name: 'leases', kind: 'Lease', namespaced: true },
    { path: '/apis/svc.dev/v1', name: 'taskruns', kind: 'TaskRun', namespaced: true },
    { path: '/apis/svc.dev/v1', name: 'taskruns/status', kind: 'TaskRun', namespaced: true },
    { path: '/apis/svc.dev/v1', name: 'pipelineruns', kind: 'PipelineRun', namespaced: true },
    { path: '/apis/svc.dev/v1beta1', name: 'customruns', kind: 'CustomRun', namespaced: true },
  ];
  for (const { path, ...wanted } of served) {
    it(`serves ${wanted.name} at ${path}`, async () => {
      const { json } = await get(path);
      expect(json).to.include({ kind: 'APIResourceList', groupVersion: path.replace(/^\/apis?\//, '') });
      const found = rowsOf(json.resources).find((resource) => textAt(resource, 'name') === wanted.name);
      expect(found).to.deep.include(wanted);
    });
  }

  it('falls back to plain JSON for whoever would rather have aggregated discovery or tables', async () => {
    const accept = 'application/json;as=SomethingNew;v=v9;g=apidiscovery.k8s.io,application/json';
    expect((await get('/apis/svc.dev/v1', { accept })).json.kind).to.equal('APIResourceList');
  });

  it('prints a table when asked for one', async () => {
    const namespace = await server.freshNamespace();
    await server.request('POST', taskRuns(namespace), { body: taskRun('a') });
    const { json } = await get(taskRuns(namespace), { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    const [row] = rowsOf(json.rows);
    expect(json.kind).to.equal('Table');
    expect(rowsOf(json.columnDefinitions).map((column) => textAt(column, 'name'))).to.include.members([
      'Name',
      'Succeeded',
    ]);
    expect(isJson(row) && rowsOf(row.cells)[0]).to.equal('a');
  });

  const unknown = [
    '/nothing',
    '/api/v2',
    '/api/v1/nothing',
    '/apis/nobody.example',
    '/apis/svc.dev/v1/nothing',
    '/apis/svc.dev/v9/taskruns',
  ];
  for (const path of unknown) {
    it(`answers 404 to ${path}`, async () => {
      expect((await get(path)).status).to.equal(404);
    });
  }

  it('answers 401 to a token that it does not know', async () => {
    const answer = await get(taskRuns('default'), { authorization: 'Bearer wrong' });
    expect(refusal(answer)).to.deep.equal({ status: 401, kind: 'Status', reason: 'Unauthorized' });
  });

  const notAllowed = [
    { method: 'POST', path: `${configMaps('default')}/a`, status: 405 },
    { method: 'PUT', path: configMaps('default'), status: 405 },
    { method: 'PATCH', path: configMaps('default'), status: 405 },
    { method: 'DELETE', path: '/api/v1/configmaps', status: 405 },
    { method: 'POST', path: '/api/v1/configmaps', status: 405 },
    { method: 'PUT', path: taskRuns('default'), status: 400 },
    { method: 'PATCH', path: taskRuns('default'), status: 400 },
    { method: 'DELETE', path: `${taskRuns('default')}/a/status`, status: 405 },
  ];
  for (const { method, path, status } of notAllowed) {
    it(`answers ${status} to ${method} ${path}`, async () => {
      const answer = await server.request(method, path, {
        body: taskRun('a'),
        contentType: method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      });
      expect(answer.status).to.equal(status);
    });
  }

  it('creates by a POST to the name of a custom resource too', async () => {
    const namespace = await server.freshNamespace();
    const answer = await server.request('POST', `${taskRuns(namespace)}/other`, { body: taskRun('a') });
    expect({ status: answer.status, name: nameOf(answer.json) }).to.deep.equal({ status: 201, name: 'a' });
  });

  it('answers 406 to who takes no JSON', async () => {
    const answer = await get(taskRuns('default'), { accept: 'text/html' });
    expect(answer.status).to.equal(406);
  });

  it('answers 415 to a body that is no JSON by its type', async () => {
    const contentType = 'application/x-www-form-urlencoded';
    const answer = await server.request('POST', taskRuns('default'), { body: taskRun('a'), contentType });
    expect(refusal(answer)).to.deep.equal({ status: 415, kind: 'Status', reason: 'UnsupportedMediaType' });
  });

  it('answers 413 to a body past 3 MiB', async () => {
    const body = { ...taskRun('big'), spec: { text: 'x'.repeat(3 * 1024 * 1024) } };
    const answer = await server.request('POST', taskRuns('default'), { body });
    expect(answer.status).to.equal(413);
  });
});
