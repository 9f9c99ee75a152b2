import { expect } from 'chai';
import { profiles } from '../../../../lib/profile.ts';
import { ApiError } from '../../../../lib/sandbox/api/api-error.ts';
import { expireEvents } from '../../../../lib/sandbox/api/expire-events.ts';
import type { Interception, SandboxApi, SandboxApiOptions } from '../../../../lib/sandbox/api/sandbox-api.ts';
import { startSandboxApi } from '../../../../lib/sandbox/api/start-sandbox-api.ts';

const run = (name: string) => ({
  apiVersion: 'svc.dev/v1',
  kind: 'TaskRun',
  metadata: { name, namespace: 'shop' },
  spec: { taskRef: { name: 'build' } },
  status: { conditions: [{ type: 'Succeeded', status: 'Unknown' }] },
});

/** As much of discovery documents and tables as is looked at here. */
interface Read {
  readonly resources: readonly { readonly name: string }[];
  readonly columnDefinitions: readonly { readonly name: string }[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

async function read(url: string): Promise<Read> {
  const answer = await fetch(url, { headers: { accept: 'application/json;as=Table,application/json' } });
  return JSON.parse(await answer.text());
}

describe('startSandboxApi', () => {
  let api: SandboxApi;
  const runsUrl = () => `${api.url}/apis/svc.dev/v1/namespaces/shop/taskruns`;
  const start = async (options: Partial<SandboxApiOptions> = {}) => {
    api = await startSandboxApi({ profile: profiles.svc, namespaces: ['shop'], ...options });
  };
  const watch = () => fetch(`${runsUrl()}?watch=true`);
  const failure = (promise: Promise<unknown>) =>
    promise.then(
      () => 'no failure',
      (error: Error) => error.name,
    );
  const thrown = (act: () => unknown) => {
    try {
      act();
      return 'nothing';
    } catch (error) {
      return error instanceof ApiError ? error.code : error;
    }
  };

  afterEach(() => api.close());

  it('starts with the namespaces that are needed', async () => {
    await start();
    const names = api.list('namespaces', '').map(({ metadata }) => metadata.name);
    expect(names).to.deep.equal(['default', 'shop', 'svc-pipelines']);
  });

  it('applies whole objects, status included, and makes their namespace', async () => {
    await start();
    const first = api.apply({ ...run('a'), metadata: { name: 'a', namespace: 'new' } });
    const second = api.apply({ ...run('a'), metadata: { name: 'a', namespace: 'new' }, spec: { other: 1 } });
    expect(first).to.deep.include({ spec: run('a').spec, status: run('a').status });
    expect(second).to.deep.include({ spec: { other: 1 } });
    expect(second.metadata.uid).to.equal(first.metadata.uid);
    expect(api.get('namespaces', '', 'new')).to.not.equal(undefined);
  });

  it('patches and removes by the back door', async () => {
    await start();
    api.apply(run('a'));
    expect(api.patch('taskruns', 'shop', 'a', { status: { podName: 'p' } }).status).to.deep.equal({
      ...run('a').status,
      podName: 'p',
    });
    api.remove('taskruns', 'shop', 'a');
    expect(api.list('taskruns', 'shop')).to.deep.equal([]);
  });

  it('throws 404 for what is not there', async () => {
    await start();
    expect(thrown(() => api.patch('taskruns', 'shop', 'a', {}))).to.equal(404);
    expect(thrown(() => api.remove('nothing', 'shop', 'a'))).to.equal(404);
    expect(thrown(() => api.apply({ apiVersion: 'v9', kind: 'Pod' }))).to.equal(404);
  });

  it('serves other versions when asked to', async () => {
    await start({ versions: { CustomRun: 'v1' } });
    const { resources } = await read(`${api.url}/apis/svc.dev/v1`);
    expect(resources.map(({ name }) => name)).to.include('customruns');
    expect((await fetch(`${api.url}/apis/svc.dev/v1beta1`)).status).to.equal(404);
  });

  it('wants its token for all but health and version', async () => {
    await start({ token: 'secret' });
    const codes = await Promise.all(
      ['/readyz', '/version', '/api', '/nothing'].map(async (path) => (await fetch(api.url + path)).status),
    );
    expect(codes).to.deep.equal([200, 200, 401, 401]);
    expect((await fetch(`${api.url}/api`, { headers: { authorization: 'Bearer secret' } })).status).to.equal(200);
  });

  it('lets a spec answer instead', async () => {
    const asked: string[] = [];
    const body = { kind: 'Status', code: 503 };
    const intercept = ({ method, path }: { method: string; path: string }): Interception => {
      asked.push(`${method} ${path}`);
      return path === '/api' ? { status: 503, headers: { 'retry-after': '7' }, body } : 'pass';
    };
    await start({ intercept });
    const answer = await fetch(`${api.url}/api`);
    const text = await fetch(`${api.url}/readyz`);
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).to.deep.equal([503, '7', body]);
    expect(text.status).to.equal(200);
    expect(asked).to.deep.equal(['GET /api', 'GET /readyz']);
  });

  it('lets a spec answer with plain text', async () => {
    await start({ intercept: () => ({ status: 502, body: 'bad gateway' }) });
    expect(await (await fetch(`${api.url}/api`)).text()).to.equal('bad gateway');
  });

  it('lets a spec cut the connection', async () => {
    await start({ intercept: () => 'reset' });
    expect(await failure(fetch(api.url))).to.equal('TypeError');
  });

  it('lets a spec never answer', async () => {
    let reached = () => {};
    const arrived = new Promise<void>((resolve) => {
      reached = resolve;
    });
    await start({
      intercept: () => {
        reached();
        return 'hang';
      },
    });
    const abort = new AbortController();
    const answer = failure(fetch(api.url, { signal: abort.signal }));
    await arrived;
    abort.abort();
    expect(await answer).to.equal('AbortError');
  });

  it('ends watches politely, or cuts them', async () => {
    await start();
    const polite = await watch();
    api.closeWatches();
    expect(await polite.text()).to.equal('');
    const rude = await watch();
    expect(api.watchCount).to.equal(1);
    api.closeWatches('cut');
    expect(await failure(rude.text())).to.equal('TypeError');
  });

  it('holds only so many watches', async () => {
    await start({ watchLimit: 1 });
    const first = await watch();
    const second = await watch();
    expect([first.status, second.status, second.headers.get('retry-after')]).to.deep.equal([200, 429, '1']);
  });

  it('holds only so many objects', async () => {
    await start({ objectLimit: 4 });
    const create = (name: string) =>
      fetch(runsUrl(), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(run(name)),
      });
    expect([(await create('a')).status, (await create('b')).status]).to.deep.equal([201, 500]);
  });

  it('tells a watch in tables when kubectl asks for them', async () => {
    await start();
    api.apply(run('a'));
    const answer = await fetch(`${runsUrl()}?watch=true`, { headers: { accept: 'application/json;as=Table' } });
    api.compact();
    api.closeWatches();
    const line = JSON.parse(await answer.text());
    expect(line.type).to.equal('ADDED');
    expect(line.object.rows[0].cells.slice(0, 2)).to.deep.equal(['a', 'Unknown']);
  });

  it('prints how long ago things were in the units that fit', async () => {
    const nowMs = Date.parse('2026-01-10T00:00:00Z');
    await start({ nowMs: () => nowMs });
    const times = ['2026-01-10T00:00:00Z', '2026-01-09T23:57:00Z', '2026-01-09T20:00:00Z', '2026-01-01T00:00:00Z'];
    times.forEach((startTime, index) => {
      api.apply({ ...run(`r${index}`), status: { startTime } });
    });
    const { rows } = await read(runsUrl());
    expect(rows.map(({ cells }) => cells[3])).to.deep.equal(['0s', '3m', '4h', '9d']);
  });

  for (const [path, columns] of [
    ['configmaps', ['Name', 'Data', 'Age']],
    ['events', ['Last Seen', 'Type', 'Reason', 'Object', 'Message', 'Name']],
    ['namespaces', ['Name', 'Age']],
  ] as const) {
    it(`prints ${path} as kubectl users know them`, async () => {
      await start();
      api.apply({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'c', namespace: 'default' },
        data: { a: 'b' },
      });
      api.apply({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'e', namespace: 'default' },
        involvedObject: { kind: 'TaskRun', name: 'a' },
      });
      const { columnDefinitions, rows } = await read(`${api.url}/api/v1/${path}`);
      expect(columnDefinitions.map(({ name }) => name)).to.deep.equal(columns);
      expect(rows[0]?.cells).to.have.length(columns.length);
    });
  }

  it('forgets events that are over their time', async () => {
    await start();
    const about = { involvedObject: { kind: 'TaskRun', name: 'a', namespace: 'shop' } };
    for (const [name, lastTimestamp] of [
      ['old', '2026-01-01T00:00:00Z'],
      ['new', '2026-01-01T00:30:00Z'],
    ] as const) {
      api.apply({ apiVersion: 'v1', kind: 'Event', metadata: { name, namespace: 'shop' }, ...about, lastTimestamp });
    }
    expireEvents(api, 3_600_000, Date.parse('2026-01-01T01:00:01Z'));
    expect(api.list('events', '').map(({ metadata }) => metadata.name)).to.deep.equal(['new']);
  });

  it('answers a path that cannot be decoded with 404', async () => {
    await start();
    expect((await fetch(`${api.url}/apis/svc.dev/v1/%E0%A4%A`)).status).to.equal(404);
  });
});
