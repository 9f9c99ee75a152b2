import { expect } from 'chai';
import { createKubeApi } from '../../../../lib/io/kube/kube-api.ts';
import { openConnection } from '../../../../lib/io/kube/kube-connection.ts';
import { lastGoodStore } from '../../../../lib/io/kube/last-good-store.ts';
import type { KubeApi } from '../../../../lib/kube/api.ts';
import { noMeasure } from '../../../../lib/metrics/own.ts';
import { profiles } from '../../../../lib/profile.ts';
import type { InterceptedRequest, Interception, SandboxApi } from '../../../../lib/sandbox/api/sandbox-api.ts';
import { startSandboxApi } from '../../../../lib/sandbox/api/start-sandbox-api.ts';
import { recordedLog } from '../../../support/recorded-log.ts';

const namespace = 'svc-pipelines';
const name = 'svc-pipelines-controller-last-good';
const events = { sink: 'http://user:secret@sink/' };

describe('lastGoodStore', () => {
  let server: SandboxApi;
  let api: KubeApi & { close(): Promise<void> };
  let log: ReturnType<typeof recordedLog>;
  let requests: string[];
  let intercept: (request: InterceptedRequest) => Interception;

  beforeEach(async () => {
    requests = [];
    intercept = () => 'pass';
    log = recordedLog();
    server = await startSandboxApi({
      profile: profiles.svc,
      intercept: (request) => {
        requests.push(request.method);
        return intercept(request);
      },
    });
    api = createKubeApi({
      connection: openConnection(server.url),
      measure: noMeasure,
      onLatency: () => {},
      userAgent: 'spec/1',
    });
  });
  afterEach(async () => {
    await api.close();
    await server.close();
  });

  const store = () => lastGoodStore({ api, log, namespace, component: 'svc-pipelines-controller' });
  const kept = () => server.get('configmaps', namespace, name)?.data;
  const refuse = (method: string, status: number) => {
    intercept = (request) => (request.method === method ? { status, body: { kind: 'Status', code: status } } : 'pass');
  };

  it('has nothing before anything was saved', async () => {
    expect(await store().load()).to.deep.equal({});
  });

  it('gives back in another process what was saved, one JSON text a map', async () => {
    const first = store();
    await Promise.all([first.save('config-events', events), first.save('feature-flags', {})]);
    expect(kept()).to.deep.equal({ 'config-events': JSON.stringify(events), 'feature-flags': '{}' });
    expect(await store().load()).to.deep.equal({ 'config-events': events, 'feature-flags': {} });
  });

  it('writes nothing when the texts are kept already', async () => {
    await store().save('config-events', events);
    requests.length = 0;
    await store().save('config-events', events);
    expect(requests).to.deep.equal(['GET']);
  });

  it('keeps the texts of other maps, and the last of many saves in few writes', async () => {
    await store().save('feature-flags', { a: '1' });
    const second = store();
    requests.length = 0;
    await Promise.all(Array.from({ length: 50 }, (_, index) => second.save('config-events', { sink: String(index) })));
    expect(await second.load()).to.deep.equal({ 'feature-flags': { a: '1' }, 'config-events': { sink: '49' } });
    expect(requests.filter((method) => method === 'PUT').length).to.be.at.most(2);
  });

  it('tries again when someone else has written in between', async () => {
    await store().save('feature-flags', { a: '1' });
    let interfered = false;
    intercept = ({ method }) => {
      if (method === 'PUT' && !interfered) {
        interfered = true;
        server.patch('configmaps', namespace, name, { data: { 'config-defaults': '{"b":"2"}' } });
      }
      return 'pass';
    };
    await store().save('config-events', events);
    expect(kept()).to.deep.equal({
      'feature-flags': '{"a":"1"}',
      'config-defaults': '{"b":"2"}',
      'config-events': JSON.stringify(events),
    });
    expect(log.lines).to.deep.equal([]);
  });

  it('creates the map again when it was deleted in between', async () => {
    await store().save('feature-flags', {});
    let deleted = false;
    intercept = ({ method }) => {
      if (method === 'PUT' && !deleted) {
        deleted = true;
        server.remove('configmaps', namespace, name);
      }
      return 'pass';
    };
    await store().save('config-events', events);
    expect(kept()).to.deep.equal({ 'config-events': JSON.stringify(events) });
  });

  it('gives up on a conflict that does not end, and says so', async () => {
    await store().save('feature-flags', {});
    refuse('PUT', 409);
    requests.length = 0;
    await store().save('config-events', events);
    expect(requests.filter((method) => method === 'PUT')).to.have.length(6);
    expect(log.lines.map(({ level, sentence }) => `${level}: ${sentence}`)).to.deep.equal([
      'warn: could not keep the last good settings',
    ]);
  });

  it('says once that it may not write, and makes up for it when it may', async () => {
    refuse('POST', 403);
    const one = store();
    await one.save('config-events', events);
    await one.save('feature-flags', {});
    expect(log.lines.map(({ level }) => level)).to.deep.equal(['warn', 'debug']);
    expect(JSON.stringify(log.lines)).not.to.contain('secret');
    intercept = () => 'pass';
    await one.save('config-defaults', {});
    expect(kept()).to.have.all.keys('config-events', 'feature-flags', 'config-defaults');
    refuse('PUT', 403);
    await one.save('feature-flags', { a: '1' });
    expect(log.lines.map(({ level }) => level)).to.deep.equal(['warn', 'debug', 'warn']);
  });

  it('rejects a load that cannot be answered', async () => {
    refuse('GET', 403);
    const error = await store()
      .load()
      .catch((reason: unknown) => reason);
    expect(error).to.include({ name: 'KubeError', failure: 'forbidden' });
  });

  it('takes a text that someone broke as not kept', async () => {
    const data = {
      'config-events': 'no json',
      'feature-flags': '[]',
      'config-defaults': '{"a":1,"b":"2"}',
      other: 'null',
    };
    server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data });
    expect(await store().load()).to.deep.equal({ 'config-defaults': { b: '2' } });
  });

  it('says what else can go wrong with a write', async () => {
    const broken = { ...api, get: () => Promise.reject(new TypeError('bug')) };
    await lastGoodStore({ api: broken, log, namespace, component: 'c' }).save('config-events', events);
    expect(log.lines[0]?.fields).to.deep.equal({ configMap: 'c-last-good', namespace, problem: 'bug' });
  });
});
