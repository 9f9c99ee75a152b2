import { expect } from 'chai';
import { request } from 'undici';
import type { Health, ShownSetting } from '../../lib/io/servers/health.ts';
import { startWorld, type World } from '../support/world.ts';

const map = 'config-observability';
const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

type Status = Required<Health> & { readonly ready: boolean };

describe('the status', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ env: { OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere/ca.pem' } });
  });
  after(() => world.close());

  const page = async (path: string) => (await request(`${world.healthUrl}${path}`)).body.text();
  const status = async (): Promise<Status> => JSON.parse(await page('/status'));
  const setting = async (key: string): Promise<Partial<ShownSetting>> =>
    (await status()).settings.find((one) => one.key === key) ?? {};

  async function versionOfMap(): Promise<string> {
    const { json } = await world.server.request('GET', `/api/v1/namespaces/${world.namespace}/configmaps/${map}`);
    return String((json as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
  }

  it('is JSON at /status and says whether the controller is ready', async () => {
    const { headers } = await request(`${world.healthUrl}/status`);
    expect(headers['content-type']).to.equal('application/json');
    expect(await status()).to.deep.include({ ready: true });
  });

  it('says of each setting what it is, from which map and version, and since when', async () => {
    expect(await setting('metrics.taskrun.level')).to.deep.include({ value: 'task', source: 'default' });
    await world.configure(map, { 'metrics.taskrun.level': 'namespace', 'runtime-export-interval': '1m30s' });
    const version = await versionOfMap();
    const level = await setting('metrics.taskrun.level');
    expect(level).to.deep.include({ map, value: 'namespace', source: 'map', resourceVersion: version });
    expect(level.since).to.match(iso);
    expect((await setting('runtime-export-interval')).value).to.equal('1m30s');
    expect((await setting('runtime-profiling')).value).to.equal('disabled');
    expect((await setting('metrics-endpoint')).value).to.equal('none');
  });

  it('keeps version and time of a setting that an edit leaves as it is', async () => {
    await world.configure(map, { 'metrics.taskrun.level': 'namespace' });
    const before = await setting('metrics.taskrun.level');
    await world.configure(map, { 'metrics.taskrun.level': 'namespace', 'metrics.count.enable-reason': 'true' });
    expect(await setting('metrics.taskrun.level')).to.deep.equal(before);
    const reason = await setting('metrics.count.enable-reason');
    expect(reason).to.deep.include({ value: 'true', resourceVersion: await versionOfMap() });
  });

  it('says what was refused and why, and what stays', async () => {
    await world.configure(map, { 'metrics.taskrun.level': 'namespace' });
    const before = await setting('metrics.taskrun.level');
    await world.configure(map, { 'metrics.taskrun.level': 'pod' });
    const { maps, ready } = await status();
    const problem = 'metrics.taskrun.level: expected taskrun | task | namespace, got "pod"';
    const stands = maps.find(({ name }) => name === map);
    expect(stands).to.deep.include({ problems: [problem], resourceVersion: await versionOfMap() });
    expect(stands?.refusedSince).to.match(iso);
    expect(await setting('metrics.taskrun.level')).to.deep.equal(before);
    expect(ready).to.equal(true);
    await world.configure(map, {});
    expect((await status()).maps.find(({ name }) => name === map)?.refusedSince).to.equal(null);
  });

  it('says which protocol is in force, and why the one asked for is not', async () => {
    const after = world.controller.lines.length;
    await world.configure(map, { 'metrics-protocol': 'grpc', 'metrics-endpoint': 'https://127.0.0.1:1' });
    await world.controller.logged(({ msg }) => msg.startsWith('metrics cannot be exported'), after);
    const [metrics, traces] = (await status()).exporters;
    expect(metrics).to.deep.include({ signal: 'metrics', protocol: 'prometheus' });
    expect(metrics?.problem).to.include('OTEL_EXPORTER_OTLP_CERTIFICATE').and.include('ENOENT');
    expect(traces).to.deep.include({ signal: 'traces', protocol: 'none', problem: null });
  });

  it('is told by /readyz?verbose and the page as well', async () => {
    const line = /^\[=\]config-observability metrics\.taskrun\.level: task \(from map at version \d+, since .*Z\)$/m;
    expect(await page('/readyz?verbose')).to.match(line);
    expect(await page('/'))
      .to.include('metrics.taskrun.level')
      .and.include('from map at version');
  });

  it('never shows a sink', async () => {
    const [host = ''] = world.sink.url.match(/127\.0\.0\.1:\d+/) ?? [];
    await world.configure('config-events', { sink: `http://user:secret@${host}/hidden?token=hidden` });
    const pages = await Promise.all(['/status', '/readyz?verbose', '/'].map(page));
    expect(await setting('sink')).to.deep.include({ value: 'set' });
    expect(pages.filter((text) => /secret|hidden/.test(text) || text.includes(host))).to.deep.equal([]);
  });
});
