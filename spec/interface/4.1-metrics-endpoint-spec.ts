import { expect } from 'chai';
import { request } from 'undici';
import { startProcess } from '../support/controller-process.ts';
import { readScrape } from '../support/scrape.ts';
import { startWorld, type World } from '../support/world.ts';

const names = [
  'pipelinerun_duration_seconds',
  'pipelinerun_taskrun_duration_seconds',
  'pipelinerun_total',
  'running_pipelineruns',
  'taskrun_duration_seconds',
  'taskrun_total',
  'running_taskruns',
  'running_taskruns_throttled_by_quota',
  'running_taskruns_throttled_by_node',
  'client_latency',
];

describe('4.1 Metrics endpoint', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.close());

  it('GET /metrics answers 200 in the text format', async () => {
    const { statusCode, headers, body } = await request(world.metricsUrl);
    await body.dump();
    expect(statusCode).to.equal(200);
    expect(headers['content-type']).to.equal('text/plain; version=0.0.4; charset=utf-8');
  });

  it('the text lists every metric of section 2.3', async () => {
    expect([...readScrape(await world.scrape()).keys()]).to.include.members(names);
  });

  it('the text names each metric once: HELP, then TYPE, then its samples', async () => {
    const text = await world.scrape();
    const helped = [...text.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name);
    const typed = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(helped).to.deep.equal(typed);
    expect(helped).to.deep.equal([...new Set(helped)]);
  });

  it('a scraper that asks for OpenMetrics gets it', async () => {
    const accept = 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5';
    const { headers, body } = await request(world.metricsUrl, { headers: { accept } });
    expect(headers['content-type']).to.match(/^application\/openmetrics-text; version=1\.0\.0/);
    expect(await body.text()).to.match(/# EOF\n$/);
  });

  const others = [
    { method: 'POST', path: '/metrics', status: 405 },
    { method: 'GET', path: '/', status: 404 },
    { method: 'GET', path: '/metrics/taskruns', status: 404 },
  ] as const;

  for (const { method, path, status } of others) {
    it(`${method} ${path} answers ${status}`, async () => {
      const { statusCode, body } = await request(new URL(path, world.metricsUrl), { method });
      await body.dump();
      expect(statusCode).to.equal(status);
    });
  }

  it('a request payload is not needed and not read', async () => {
    const { statusCode, body } = await request(world.metricsUrl, { method: 'GET', body: 'anything' });
    await body.dump();
    expect(statusCode).to.equal(200);
  });

  for (const protocol of ['none', 'grpc', 'http/protobuf']) {
    it(`with metrics-protocol ${protocol} it answers 404 with a sentence`, async () => {
      await world.configure('config-observability', {
        'metrics-protocol': protocol,
        'metrics-endpoint': '127.0.0.1:9',
      });
      const sentence = `metrics are not served here while metrics-protocol is ${protocol}\n`;
      expect(await world.metricsAnswer(404)).to.equal(sentence);
      await world.configure('config-observability', {});
      expect(await world.metricsAnswer(200)).to.include('# HELP');
    });
  }

  it('the port is 9090 unless a flag says otherwise', async () => {
    const help = startProcess(['--help']);
    expect(await help.ended).to.equal(0);
    expect(help.stdout()).to.match(/^ +--metrics-port=9090$/m);
  });
});
