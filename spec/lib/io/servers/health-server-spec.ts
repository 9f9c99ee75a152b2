import { expect } from 'chai';
import type { Health } from '../../../../lib/io/servers/health.ts';
import { startHealthServer } from '../../../../lib/io/servers/health-server.ts';
import { silentLog } from '../../../../lib/log.ts';
import { type Asked, ask } from './requests.ts';

const ready: Health = { checks: [{ name: 'taskruns', ok: true }], notes: [] };
const unready: Health = {
  checks: [
    { name: 'taskruns', ok: true },
    { name: 'pipelineruns', ok: false, reason: 'not listed yet' },
  ],
  notes: ['metrics.taskrun.level: expected taskrun | task | namespace, got "pod"'],
};

async function answerTo(path: string, health: () => Health, asked: Asked = {}) {
  const server = await startHealthServer({ host: '127.0.0.1', port: 0, health, log: silentLog });
  try {
    return await ask(server.port, path, asked);
  } finally {
    await server.close();
  }
}

describe('startHealthServer', () => {
  it('answers /healthz without asking how anything is', async () => {
    const health = () => {
      throw new Error('asked');
    };
    expect(await answerTo('/healthz', health)).to.deep.include({ status: 200, body: 'ok' });
  });

  it('answers /readyz with 200 when every check is ok', async () => {
    expect(await answerTo('/readyz', () => ready)).to.deep.include({ status: 200, body: 'ok' });
  });

  it('lists the checks under ?verbose', async () => {
    expect(await answerTo('/readyz?verbose', () => ready)).to.deep.include({
      status: 200,
      body: '[+]taskruns ok\nreadyz check passed\n',
    });
  });

  it('answers /readyz with 503 and the reasons when a check is not ok', async () => {
    expect(await answerTo('/readyz', () => unready)).to.deep.include({
      status: 503,
      body: [
        '[+]taskruns ok',
        '[-]pipelineruns not listed yet',
        '[!]metrics.taskrun.level: expected taskrun | task | namespace, got "pod"',
        'readyz check failed',
        '',
      ].join('\n'),
    });
  });

  it('shows the status page at /, allowed to load nothing', async () => {
    const { status, headers, body } = await answerTo('/', () => unready);
    expect(status).to.equal(200);
    expect(headers['content-type']).to.equal('text/html; charset=utf-8');
    expect(headers['content-security-policy']).to.match(/^default-src 'none'/);
    expect(body).to.include('<td>pipelineruns</td><td>not ok</td><td>not listed yet</td>');
  });

  const setting = {
    map: 'config-events',
    key: 'sink',
    value: 'set',
    source: 'map',
    resourceVersion: '7',
    since: 'noon',
  };

  it('gives everything as JSON at /status', async () => {
    const { status, headers, body } = await answerTo('/status', () => ({ ...unready, settings: [setting] }));
    expect({ status, type: headers['content-type'] }).to.deep.equal({ status: 200, type: 'application/json' });
    expect(JSON.parse(body)).to.deep.equal({
      ready: false,
      facts: {},
      ...unready,
      maps: [],
      settings: [setting],
      exporters: [],
    });
  });

  it('says where each setting comes from', async () => {
    const health = () => ({ ...ready, settings: [setting, { ...setting, resourceVersion: null, source: 'default' }] });
    expect((await answerTo('/readyz?verbose', health)).body).to.equal(
      [
        '[+]taskruns ok',
        '[=]config-events sink: set (from map at version 7, since noon)',
        '[=]config-events sink: set (from default, since noon)',
        'readyz check passed',
        '',
      ].join('\n'),
    );
    expect((await answerTo('/', health)).body).to.include('<td>set</td><td>from map at version 7, since noon</td>');
  });

  it('answers HEAD without a body', async () => {
    const { status, headers, body } = await answerTo('/readyz', () => ready, { method: 'HEAD' });
    expect({ status, length: headers['content-length'], body }).to.deep.equal({ status: 200, length: '2', body: '' });
  });

  it('answers other methods with 405, other paths with 404', async () => {
    const refused = await answerTo('/readyz', () => ready, { method: 'DELETE' });
    expect({ status: refused.status, allow: refused.headers.allow }).to.deep.equal({ status: 405, allow: 'GET, HEAD' });
    expect(await answerTo('/livez', () => ready)).to.deep.include({ status: 404 });
  });

  it('answers 500 when the checks cannot be read', async () => {
    const health = () => {
      throw new Error('broken');
    };
    expect(await answerTo('/readyz', health)).to.deep.include({ status: 500 });
  });
});
