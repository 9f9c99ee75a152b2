import { expect } from 'chai';
import { jsonAt, textAt } from '../../lib/sandbox/api/stored-object.ts';
import { type ServerUnderTest, serverUnderTest } from '../support/server-under-test.ts';
import { configMaps, itemsOf, lineOf, namesOf, refusal, versionOf } from './requests.ts';

const mergePatch = 'application/merge-patch+json';

describe('API: config maps, events, leases, namespaces', () => {
  let server: ServerUnderTest;
  let namespace: string;

  before(async () => {
    server = await serverUnderTest();
  });
  after(() => server.close());
  beforeEach(async () => {
    namespace = await server.freshNamespace();
  });

  describe('config maps', () => {
    const configMap = (data: unknown) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings' },
      data,
    });
    const create = (data: unknown = { level: 'task' }) =>
      server.request('POST', configMaps(namespace), { body: configMap(data) });
    const path = () => `${configMaps(namespace)}/settings`;

    it('are patched by merge and by strategic merge', async () => {
      await create();
      for (const contentType of [mergePatch, 'application/strategic-merge-patch+json']) {
        const { json } = await server.request('PATCH', path(), {
          contentType,
          body: { data: { [contentType.slice(12, 17)]: 'x' } },
        });
        expect(json.data).to.include({ level: 'task', [contentType.slice(12, 17)]: 'x' });
      }
    });

    it('are replaced without a version, but not against one', async () => {
      const { json } = await create();
      const replaced = await server.request('PUT', path(), { body: configMap({ level: 'namespace' }) });
      const stale = await server.request('PUT', path(), { body: { ...json, data: {} } });
      expect(replaced.json.data).to.deep.equal({ level: 'namespace' });
      expect(refusal(stale)).to.deep.equal({ status: 409, kind: 'Status', reason: 'Conflict' });
    });

    it('take only strings', async () => {
      for (const value of [5, true]) {
        expect(refusal(await create({ level: value }))).to.deep.equal({
          status: 400,
          kind: 'Status',
          reason: 'BadRequest',
        });
      }
    });

    it('are listed without the kind of each', async () => {
      await create();
      const answer = await server.request('GET', configMaps(namespace), {
        query: { fieldSelector: 'metadata.name=settings' },
      });
      expect(answer.json.kind).to.equal('ConfigMapList');
      expect(
        itemsOf(answer).map((item) => [jsonAt({ item }, 'item').kind, jsonAt({ item }, 'item').data]),
      ).to.deep.equal([[undefined, { level: 'task' }]]);
    });

    it('are told by a watch with their kind', async () => {
      const { json } = await create();
      await server.request('PATCH', path(), { contentType: mergePatch, body: { data: { level: 'namespace' } } });
      const watch = await server.watch(configMaps(namespace), { resourceVersion: versionOf(json) });
      const [line] = await watch.take(1);
      watch.close();
      expect(line && lineOf(line)).to.equal('MODIFIED settings');
      expect(line?.object).to.deep.include({ kind: 'ConfigMap', apiVersion: 'v1', data: { level: 'namespace' } });
    });

    it('have no status', async () => {
      await create();
      expect((await server.request('GET', `${path()}/status`)).status).to.equal(404);
    });
  });

  describe('events', () => {
    const path = () => `/api/v1/namespaces/${namespace}/events`;
    const event = (name: string, about: string) => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name },
      involvedObject: { kind: 'TaskRun', name: about, namespace, uid: `uid-${about}` },
      reason: 'Started',
      message: '',
      type: 'Normal',
      count: 1,
    });
    const create = (name: string, about: string) => server.request('POST', path(), { body: event(name, about) });

    it('are found by what they are about', async () => {
      await create('e1', 'a');
      await create('e2', 'b');
      const fieldSelector = 'involvedObject.name=b,involvedObject.uid=uid-b,involvedObject.kind=TaskRun,reason=Started';
      expect(namesOf(await server.request('GET', path(), { query: { fieldSelector } }))).to.deep.equal(['e2']);
    });

    it('exist once a name', async () => {
      await create('e1', 'a');
      expect(refusal(await create('e1', 'a'))).to.deep.equal({ status: 409, kind: 'Status', reason: 'AlreadyExists' });
    });

    it('must be in the namespace of what they are about', async () => {
      const body = { ...event('e1', 'a'), involvedObject: { kind: 'TaskRun', name: 'a', namespace: 'default' } };
      const answer = await server.request('POST', path(), { body });
      expect(refusal(answer)).to.deep.equal({ status: 422, kind: 'Status', reason: 'Invalid' });
    });

    it('are counted up by a patch', async () => {
      await create('e1', 'a');
      const { json } = await server.request('PATCH', `${path()}/e1`, { contentType: mergePatch, body: { count: 2 } });
      expect(json.count).to.equal(2);
    });
  });

  describe('leases', () => {
    const path = () => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'lock' },
      spec: { holderIdentity: 'one' },
    };

    it('are held by whoever updates first', async () => {
      const { json } = await server.request('POST', path(), { body: lease });
      const renew = (holderIdentity: string) =>
        server.request('PUT', `${path()}/lock`, { body: { ...json, spec: { holderIdentity } } });
      const answers = [await renew('two'), await renew('three')];
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 409]);
      const { json: held } = await server.request('GET', `${path()}/lock`);
      expect(textAt(held.spec, 'holderIdentity')).to.equal('two');
    });

    it('are made by a PUT where there is none, once', async () => {
      const first = await server.request('PUT', `${path()}/lock`, { body: lease });
      const second = await server.request('PUT', `${path()}/lock`, {
        body: { ...lease, spec: { holderIdentity: 'two' } },
      });
      expect(first.status).to.equal(201);
      expect(refusal(second)).to.deep.equal({ status: 422, kind: 'Status', reason: 'Invalid' });
    });

    it('keep annotations, in which a checkpoint may stand', async () => {
      const annotations = { 'svc.dev/checkpoint': '{"taskruns":"12"}' };
      await server.request('POST', path(), { body: { ...lease, metadata: { name: 'lock', annotations } } });
      const { json } = await server.request('GET', `${path()}/lock`);
      expect(jsonAt(json, 'metadata').annotations).to.deep.equal(annotations);
    });
  });

  describe('namespaces', () => {
    it('are listed and read', async () => {
      expect(namesOf(await server.request('GET', '/api/v1/namespaces'))).to.include.members(['default', namespace]);
      expect((await server.request('GET', `/api/v1/namespaces/${namespace}`)).json.kind).to.equal('Namespace');
    });

    it('exist once a name', async () => {
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
      const answer = await server.request('POST', '/api/v1/namespaces', { body });
      expect(refusal(answer)).to.deep.equal({ status: 409, kind: 'Status', reason: 'AlreadyExists' });
    });

    it('that are not there have empty lists', async () => {
      const answer = await server.request('GET', configMaps('nowhere'));
      expect(answer.status).to.equal(200);
      expect(itemsOf(answer)).to.deep.equal([]);
    });
  });
});
