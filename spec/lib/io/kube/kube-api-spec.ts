import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { createKubeApi } from '../../../../lib/io/kube/kube-api.ts';
import { type KubeConnection, openConnection } from '../../../../lib/io/kube/kube-connection.ts';
import { configMapType, KubeError, leaseType, type ResourceType, type WatchLine } from '../../../../lib/kube/api.ts';
import { type KubeServer, serveKube } from '../../../support/kube-server.ts';
import { recordedMeasure } from '../../../support/recorded-measure.ts';

const taskRuns: ResourceType = { group: 'svc.dev', version: 'v1', plural: 'taskruns', kind: 'TaskRun' };

type Api = ReturnType<typeof createKubeApi>;

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('expected a rejection'),
    (error: unknown) => {
      expect(error).to.be.instanceOf(KubeError);
      return error as KubeError;
    },
  );

describe('createKubeApi', () => {
  const closing: { close(): Promise<void> }[] = [];
  let answer: (response: ServerResponse, url: string) => void;
  let server: KubeServer;
  let measure: ReturnType<typeof recordedMeasure>;
  let latencies: number[];

  function apiOf(connection: KubeConnection, options: Partial<Parameters<typeof createKubeApi>[0]> = {}): Api {
    const onLatency = (ms: number) => latencies.push(ms);
    const api = createKubeApi({ connection, measure, onLatency, userAgent: 'spec/1', random: () => 0.5, ...options });
    closing.push(api);
    return api;
  }

  const json = (body: unknown, code = 200, headers = {}) => {
    answer = (response) => response.writeHead(code, headers).end(JSON.stringify(body));
  };
  const raw = (text: string, code = 200) => {
    answer = (response) => response.writeHead(code).end(text);
  };

  beforeEach(async () => {
    measure = recordedMeasure();
    latencies = [];
    json({});
    server = await serveKube({ answer: (request, response) => answer(response, request.url ?? '') });
    closing.push(server);
  });

  afterEach(async () => {
    for (const each of closing.splice(0)) await each.close();
  });

  describe('list', () => {
    it('gives a page with its version and continue token', async () => {
      const items = [{ apiVersion: 'svc.dev/v1', kind: 'TaskRun', metadata: { name: 'a' } }];
      json({ metadata: { resourceVersion: '7', continue: 'next' }, items });
      const page = await apiOf(openConnection(server.url)).list(taskRuns, '', { limit: 500 });
      expect(page).to.deep.equal({ items, resourceVersion: '7', continueToken: 'next' });
      expect(server.requests[0]?.url).to.equal('/apis/svc.dev/v1/taskruns?limit=500');
      expect(server.requests[0]?.headers).to.include({ accept: 'application/json', 'user-agent': 'spec/1' });
    });

    it('asks for what the query names, and never for a version beside a continue token', async () => {
      json({ metadata: { resourceVersion: '7' }, items: [] });
      const api = apiOf(openConnection(`${server.url}/proxied/`));
      const fieldSelector = 'metadata.name=a';
      await api.list(taskRuns, 'a b', { resourceVersion: '5', resourceVersionMatch: 'Exact', fieldSelector });
      await api.list(taskRuns, '', { limit: 2, continueToken: 'c/1', resourceVersion: '5' });
      expect(server.requests.map(({ url }) => url)).to.deep.equal([
        '/proxied/apis/svc.dev/v1/namespaces/a%20b/taskruns?resourceVersion=5&resourceVersionMatch=Exact' +
          '&fieldSelector=metadata.name%3Da',
        '/proxied/apis/svc.dev/v1/taskruns?limit=2&continue=c%2F1',
      ]);
    });

    it('adds kind and apiVersion to the items of a core type', async () => {
      json({ metadata: { resourceVersion: '7' }, items: [{ metadata: { name: 'a' } }] });
      const page = await apiOf(openConnection(server.url)).list(configMapType, 'x', {});
      expect(page.items).to.deep.equal([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }]);
    });

    it('takes a list without items for an empty one', async () => {
      json({ metadata: { resourceVersion: '7' }, items: null });
      const page = await apiOf(openConnection(server.url)).list(configMapType, 'x', {});
      expect(page).to.deep.equal({ items: [], resourceVersion: '7', continueToken: '' });
    });

    for (const { title, body } of [
      { title: 'items that are no array', body: '{"metadata":{"resourceVersion":"7"},"items":{}}' },
      { title: 'no version', body: '{"metadata":{},"items":[]}' },
      { title: 'no metadata', body: '{"items":[]}' },
      { title: 'an array', body: '[]' },
      { title: 'no JSON', body: '<html>' },
    ]) {
      it(`calls ${title} malformed`, async () => {
        raw(body);
        const error = await failureOf(apiOf(openConnection(server.url)).list(taskRuns, '', {}));
        expect(error.failure).to.equal('malformed');
        expect(error.message).to.match(/^list of taskruns\.svc\.dev in all namespaces: expected a (list|JSON object)/);
      });
    }
  });

  describe('objects', () => {
    it('gets, creates, updates and removes under their paths', async () => {
      json({ kind: 'Lease', metadata: { name: 'l' } });
      const api = apiOf(openConnection(server.url));
      const lease = { kind: 'Lease' };
      expect(await api.get(leaseType, 'x', 'l')).to.deep.equal({ kind: 'Lease', metadata: { name: 'l' } });
      await api.create(leaseType, 'x', lease);
      await api.update(leaseType, 'x', 'l', lease);
      await api.remove(leaseType, 'x', 'l');
      const path = '/apis/coordination.k8s.io/v1/namespaces/x/leases';
      expect(server.requests.map(({ method, url, body }) => `${method} ${url} ${body}`)).to.deep.equal([
        `GET ${path}/l `,
        `POST ${path} {"kind":"Lease"}`,
        `PUT ${path}/l {"kind":"Lease"}`,
        `DELETE ${path}/l `,
      ]);
      expect(server.requests[1]?.headers['content-type']).to.equal('application/json');
    });

    it('counts every request by verb and code, and times each', async () => {
      const api = apiOf(openConnection(server.url));
      await api.get(leaseType, 'x', 'l');
      json({ kind: 'Status', message: 'the object has been modified' }, 409);
      const error = await failureOf(api.update(leaseType, 'x', 'l', {}));
      expect(error.failure).to.equal('conflict');
      expect(Object.fromEntries(measure.counts)).to.deep.equal({
        'api_requests_total{verb="get",code="200"}': 1,
        'api_requests_total{verb="update",code="409"}': 1,
      });
      expect(latencies).to.have.length(2);
      expect(Math.min(...latencies)).to.be.greaterThan(0);
    });

    it('reuses its connections', async () => {
      const api = apiOf(openConnection(server.url));
      for (let i = 0; i < 20; i += 1) await api.get(leaseType, 'x', 'l');
      expect(server.sockets.size).to.be.within(1, 2);
    });
  });

  describe('failures', () => {
    it('names the wait that the server asks for, in seconds or as a date', async () => {
      const api = apiOf(openConnection(server.url), { now: () => Date.UTC(2026, 0, 1) });
      json({ message: 'slow down' }, 429, { 'retry-after': '7' });
      const seconds = await failureOf(api.list(taskRuns, '', {}));
      json({}, 503, { 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' });
      const date = await failureOf(api.list(taskRuns, '', {}));
      expect([seconds, date].map(({ failure, code, retryAfterMs }) => [failure, code, retryAfterMs])).to.deep.equal([
        ['busy', 429, 7000],
        ['busy', 503, 60_000],
      ]);
    });

    it('reads no more than the start of a refusal', async () => {
      answer = (response) => response.writeHead(500).end('x'.repeat(10_000_000));
      const error = await failureOf(apiOf(openConnection(server.url)).get(leaseType, 'x', 'l'));
      expect(error.failure).to.equal('refused');
      expect(error.message).to.equal(
        'the API server answered 500 to get of leases.coordination.k8s.io "l" in namespace "x"',
      );
    });

    it('says that nobody listens', async () => {
      await server.close();
      const error = await failureOf(apiOf(openConnection(server.url)).get(leaseType, 'x', 'l'));
      expect(error.failure).to.equal('unreachable');
      expect(error.message).to.equal(
        `the API server at ${server.url} gives no answer to get of leases.coordination.k8s.io "l" in namespace "x": ` +
          'connection refused (ECONNREFUSED)',
      );
      expect([...measure.counts.keys()]).to.deep.equal(['api_requests_total{verb="get",code="0"}']);
      expect(latencies).to.have.length(1);
    });

    it('says that what answers is no HTTP server', async () => {
      const other = createServer((socket) => socket.once('data', () => socket.end('SSH-2.0-x\r\n'))).listen(
        0,
        '127.0.0.1',
      );
      await once(other, 'listening');
      const { port } = other.address() as { port: number };
      const error = await failureOf(apiOf(openConnection(`http://127.0.0.1:${port}`)).get(leaseType, 'x', 'l'));
      other.close();
      expect(error.failure).to.equal('malformed');
      expect(error.message).to.contain('what it says is no HTTP (HTTPParserError)');
    });

    for (const { title, begin } of [
      { title: 'that never begins', begin: () => {} },
      { title: 'that stops in its middle', begin: (response: ServerResponse) => response.write('{') },
    ]) {
      it(`gives up an answer ${title}`, async () => {
        answer = begin;
        const api = apiOf(openConnection(server.url), { callTimeoutMs: 50 });
        const error = await failureOf(api.get(leaseType, 'x', 'l'));
        expect(error.failure).to.equal('unreachable');
        expect(error.message).to.match(/: no answer in time \(UND_ERR_(HEADERS|BODY)_TIMEOUT\)$/);
      });
    }

    it('rejects with the reason of an aborted signal, before and during a call', async () => {
      const api = apiOf(openConnection(server.url));
      const reason = new Error('enough');
      const before = await api.get(leaseType, 'x', 'l', AbortSignal.abort(reason)).catch((error) => error);
      const abort = new AbortController();
      answer = () => abort.abort(reason);
      const during = await api.get(leaseType, 'x', 'l', abort.signal).catch((error) => error);
      expect(before === reason).to.equal(true);
      expect(during === reason).to.equal(true);
      expect(measure.counts.size).to.equal(0);
      expect(latencies).to.deep.equal([]);
    });

    it('fails at once after it was closed', async () => {
      const api = apiOf(openConnection(server.url));
      await api.close();
      const call = await failureOf(api.get(leaseType, 'x', 'l'));
      const watch = await failureOf(
        api.watch(taskRuns, '', { resourceVersion: '1' }, () => {}, new AbortController().signal),
      );
      expect(call.message).to.contain('we are shutting down');
      expect(watch.message).to.contain('we are shutting down');
    });
  });

  describe('credentials', () => {
    const withTokens = (tokens: string[]): KubeConnection => ({
      ...openConnection(server.url),
      authorization: async () => ({ Authorization: `Bearer ${tokens[0]}` }),
      refresh: () => void tokens.shift(),
    });

    it('are refreshed after a 401 and the request is sent once more', async () => {
      answer = (response) => {
        const code = server.requests.at(-1)?.headers.authorization === 'Bearer new' ? 200 : 401;
        response.writeHead(code).end('{"metadata":{"resourceVersion":"7"}}');
      };
      const api = apiOf(withTokens(['old', 'new']));
      expect((await api.list(taskRuns, '', {})).resourceVersion).to.equal('7');
      expect(server.requests.map(({ headers }) => headers.authorization)).to.deep.equal(['Bearer old', 'Bearer new']);
      await apiOf(withTokens(['old', 'new'])).watch(taskRuns, '', { resourceVersion: '1' }, () => {}, never());
      expect(server.requests).to.have.length(4);
    });

    it('that stay refused fail after the second try', async () => {
      json({}, 401);
      const error = await failureOf(apiOf(withTokens(['a', 'b', 'c'])).list(taskRuns, '', {}));
      expect(error.failure).to.equal('unauthorized');
      expect(server.requests).to.have.length(2);
    });

    it('that cannot be had fail the request without sending it', async () => {
      const authorization = async () => {
        throw new KubeError('unauthorized', 'no credentials for the API server: plugin');
      };
      const error = await failureOf(apiOf({ ...openConnection(server.url), authorization }).list(taskRuns, '', {}));
      expect(error.message).to.equal('no credentials for the API server: plugin');
      expect(server.requests).to.have.length(0);
    });
  });

  describe('discover', () => {
    const answers = (bodies: Readonly<Record<string, unknown>>) => {
      answer = (response, url) => {
        const body = bodies[url];
        response.writeHead(body === undefined ? 404 : 200).end(JSON.stringify(body ?? {}));
      };
    };
    const served = (...names: string[]) => ({ resources: names.map((name) => ({ name, kind: `K-${name}` })) });

    it('gives each resource at the preferred version, else at the first that has it', async () => {
      answers({
        '/apis/svc.dev': {
          versions: [{ version: 'v1beta1' }, { version: 'v1' }, { version: 'v0' }],
          preferredVersion: { version: 'v1' },
        },
        '/apis/svc.dev/v1': served('taskruns', 'taskruns/status'),
        '/apis/svc.dev/v1beta1': served('taskruns', 'customruns'),
      });
      expect(await apiOf(openConnection(server.url)).discover('svc.dev')).to.deep.equal([
        { group: 'svc.dev', version: 'v1', plural: 'taskruns', kind: 'K-taskruns' },
        { group: 'svc.dev', version: 'v1beta1', plural: 'customruns', kind: 'K-customruns' },
      ]);
    });

    it('finds the core group', async () => {
      answers({ '/api': { versions: ['v1'] }, '/api/v1': served('pods') });
      expect(await apiOf(openConnection(server.url)).discover('')).to.deep.equal([
        { group: '', version: 'v1', plural: 'pods', kind: 'K-pods' },
      ]);
    });

    it('is empty for a group that the server lacks, and for one that says nothing', async () => {
      answers({ '/apis/odd': { versions: [null] } });
      const api = apiOf(openConnection(server.url));
      expect(await api.discover('svc.dev')).to.deep.equal([]);
      expect(await api.discover('odd')).to.deep.equal([]);
    });

    it('fails where the server fails', async () => {
      json({ message: 'nope' }, 500);
      const error = await failureOf(apiOf(openConnection(server.url)).discover('svc.dev'));
      expect(error.message).to.equal(
        'the API server answered 500 to get of the versions of API group "svc.dev"; it said: nope',
      );
    });
  });

  describe('watch', () => {
    const line = (type: string, resourceVersion: string, extra = {}) =>
      `${JSON.stringify({ type, object: { metadata: { resourceVersion, ...extra } } })}\n`;

    /** Watches to the end; the versions by call, and how it ended. */
    async function watched(
      options: Partial<Parameters<typeof createKubeApi>[0]> = {},
      connection = openConnection(server.url),
    ) {
      const calls: string[][] = [];
      const onLines = (lines: readonly WatchLine[]) =>
        void calls.push(
          lines.map(
            ({ type, object }) => `${type} ${(object.metadata as { resourceVersion: string }).resourceVersion}`,
          ),
        );
      const api = apiOf(connection, options);
      const end = await api
        .watch(taskRuns, 'x', { resourceVersion: '1', fieldSelector: 'a=b' }, onLines, never())
        .then(() => 'ended')
        .catch((error: KubeError) => error);
      return { calls, end };
    }

    it('asks for bookmarks, an end within ten minutes, and the version to begin after', async () => {
      raw('');
      await watched();
      expect(server.requests[0]?.url).to.equal(
        '/apis/svc.dev/v1/namespaces/x/taskruns?watch=true&allowWatchBookmarks=true&timeoutSeconds=450' +
          '&resourceVersion=1&fieldSelector=a%3Db',
      );
      expect(measure.counts.get('api_requests_total{verb="watch",code="200"}')).to.equal(1);
      expect(latencies).to.deep.equal([]);
    });

    it('hands over the lines of a chunk in one call, after an empty one', async () => {
      raw(`${line('ADDED', '2')}\n${line('MODIFIED', '3')}${line('DELETED', '4')}${line('BOOKMARK', '5')}`);
      const { calls, end } = await watched();
      expect(calls).to.deep.equal([[], ['ADDED 2', 'MODIFIED 3', 'DELETED 4', 'BOOKMARK 5']]);
      expect(end).to.equal('ended');
    });

    it('leaves out a last line that was cut off', async () => {
      raw(`${line('ADDED', '2')}{"type":"ADD`);
      expect(await watched()).to.deep.equal({ calls: [[], ['ADDED 2']], end: 'ended' });
    });

    for (const { title, text, failure, message } of [
      {
        title: '410',
        text: '{"type":"ERROR","object":{"code":410,"message":"too old"}}',
        failure: 'expired',
        message: /too old$/,
      },
      {
        title: '500',
        text: '{"type":"ERROR","object":{"code":500,"message":"etcd"}}',
        failure: 'refused',
        message: /answered 500 .* etcd$/,
      },
      {
        title: 'no JSON',
        text: '{"secret',
        failure: 'malformed',
        message: /got a line of 8 characters that is no JSON$/,
      },
      { title: 'null', text: 'null', failure: 'malformed', message: /got a line without a known type$/ },
      {
        title: 'an unknown type',
        text: '{"type":"MOVED","object":{}}',
        failure: 'malformed',
        message: /without a known type$/,
      },
      { title: 'no object', text: '{"type":"ADDED"}', failure: 'malformed', message: /got a line without an object$/ },
      {
        title: 'too much',
        text: `"${'x'.repeat(300)}"`,
        failure: 'malformed',
        message: /expected lines of at most 200 bytes/,
      },
    ]) {
      it(`ends at a line that says ${title}, and keeps those before it`, async () => {
        answer = (response) => response.writeHead(200).write(`${line('ADDED', '2')}${text}\n${line('ADDED', '3')}`);
        const { calls, end } = await watched({ maxLineBytes: 200 });
        expect(calls.flat()).to.deep.equal(['ADDED 2']);
        expect(end).to.be.instanceOf(KubeError);
        expect((end as KubeError).failure).to.equal(failure);
        expect((end as KubeError).message).to.match(message);
        expect(String(end)).not.to.contain('secret');
      });
    }

    it('rejects what the server refuses, by its status', async () => {
      json({ message: 'too old resource version: 1 (9)', reason: 'Expired' }, 410);
      expect(((await watched()).end as KubeError).failure).to.equal('expired');
      answer = (response) => response.writeHead(403).write('x'.repeat(100_000));
      expect(((await watched()).end as KubeError).failure).to.equal('forbidden');
      expect(measure.counts.get('api_requests_total{verb="watch",code="410"}')).to.equal(1);
    });

    it('calls a server silent that says nothing for too long', async () => {
      answer = (response) => response.writeHead(200).write(line('ADDED', '2'));
      const { calls, end } = await watched({ silenceMs: 60 });
      expect(calls.flat()).to.deep.equal(['ADDED 2']);
      expect((end as KubeError).failure).to.equal('silent');
      expect((end as KubeError).message).to.equal(
        'the API server said nothing for 0.06 s in a watch of taskruns.svc.dev in namespace "x"',
      );
    });

    it('calls a server unreachable that goes away in the middle', async () => {
      answer = (response) => response.writeHead(200).write(line('ADDED', '2'), () => response.destroy());
      const { end } = await watched();
      expect((end as KubeError).failure).to.equal('unreachable');
      expect((end as KubeError).message).to.contain('it closed the connection (UND_ERR_SOCKET)');
    });

    it('closes its socket when aborted, and rejects with the reason', async () => {
      const abort = new AbortController();
      const reason = new Error('enough');
      answer = (response) => response.writeHead(200).write(line('ADDED', '2'));
      const onLines = (lines: readonly WatchLine[]) => {
        if (lines.length > 0) abort.abort(reason);
      };
      const [socket] = await Promise.all([
        new Promise<void>((resolve) => {
          const before = answer;
          answer = (response, url) => {
            response.on('close', resolve);
            before(response, url);
          };
        }),
        apiOf(openConnection(server.url))
          .watch(taskRuns, '', { resourceVersion: '1' }, onLines, abort.signal)
          .then(() => expect.fail('expected a rejection'))
          .catch((error) => expect(error === reason).to.equal(true)),
      ]);
      expect(socket).to.equal(undefined);
    });

    it('is never sent when aborted before, or while it waits for its credentials', async () => {
      const reason = new Error('enough');
      const api = apiOf(openConnection(server.url));
      const watch = (signal: AbortSignal) =>
        api.watch(taskRuns, '', { resourceVersion: '1' }, () => {}, signal).catch((error) => error);
      expect((await watch(AbortSignal.abort(reason))) === reason).to.equal(true);
      const abort = new AbortController();
      const waiting = watch(abort.signal);
      abort.abort(reason);
      expect((await waiting) === reason).to.equal(true);
      expect(server.requests).to.have.length(0);
    });

    it('throws on what its consumer throws', async () => {
      answer = (response) => response.writeHead(200).write(line('ADDED', '2'));
      const bug = new TypeError('bug');
      const onLines = (lines: readonly WatchLine[]) => {
        if (lines.length > 0) throw bug;
      };
      const api = apiOf(openConnection(server.url));
      const error = await api.watch(taskRuns, '', { resourceVersion: '1' }, onLines, never()).catch((each) => each);
      expect(error === bug).to.equal(true);
    });

    it('never holds up a call, however many are open', async () => {
      const api = apiOf(openConnection(server.url), { maxCallConnections: 1 });
      answer = (response, url) =>
        url.includes('watch=true') ? response.writeHead(200).flushHeaders() : response.end('{"kind":"Lease"}');
      const abort = new AbortController();
      const opened: Promise<void>[] = [];
      const watches = Array.from({ length: 20 }, () => {
        const { promise, resolve } = Promise.withResolvers<void>();
        opened.push(promise);
        return api.watch(taskRuns, '', { resourceVersion: '1' }, () => resolve(), abort.signal).catch(() => 'aborted');
      });
      await Promise.all(opened);
      expect(await api.get(leaseType, 'x', 'l')).to.deep.equal({ kind: 'Lease' });
      abort.abort();
      expect(new Set(await Promise.all(watches))).to.deep.equal(new Set(['aborted']));
    });
  });
});

function never(): AbortSignal {
  return new AbortController().signal;
}
