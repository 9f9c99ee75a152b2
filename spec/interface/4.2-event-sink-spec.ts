import { expect } from 'chai';
import { sampleValue } from '../support/scrape.ts';
import { acknowledge, answering, type Received } from '../support/sink.ts';
import { startWorld, type World } from '../support/world.ts';

/** What HTTP itself needs. */
const ofHttp = ['host', 'connection', 'content-length'];

const rows: readonly { header: string; format: string; want: RegExp }[] = [
  { header: 'ce-id', format: 'a UUID', want: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/ },
  {
    header: 'ce-source',
    format: 'the path of the run',
    want: /^\/apis\/svc\.dev\/v1\/namespaces\/[\w-]+\/taskruns\/one$/,
  },
  { header: 'ce-specversion', format: '1.0', want: /^1\.0$/ },
  { header: 'ce-subject', format: 'the name of the run', want: /^one$/ },
  { header: 'ce-time', format: 'ISO 8601 in UTC with a fraction', want: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/ },
  { header: 'ce-type', format: 'one of section 6.2', want: /^dev\.svc\.event\.taskrun\.started\.v1$/ },
  { header: 'content-type', format: 'application/json', want: /^application\/json$/ },
];

describe('4.2 Event sink', () => {
  let world: World;
  let uid: string;
  let one: Received;
  before(async () => {
    // Short waits between two tries, so that many fit into a spec.
    world = await startWorld({ args: ['--sink-backoff-initial', '10ms', '--sink-backoff-max', '20ms'] });
    const run = await world.create('TaskRun', 'one');
    await run.condition('Unknown/Started/');
    uid = run.uid;
    one = await run.told('started');
    await run.condition('Unknown/Running/');
    await run.told('running');
  });
  after(() => world.close());
  afterEach(() => {
    world.sink.answer = acknowledge;
  });

  const about = (whom: string) => world.sink.received.filter(({ bytes }) => bytes.includes(`"uid":"${whom}"`));

  it('the method is POST', () => {
    expect(one.method).to.equal('POST');
  });

  for (const { header, format, want } of rows) {
    it(`${header} is ${format}`, () => {
      expect(one.headers[header]).to.match(want);
    });
  }

  it('a request carries these headers, once each, ce-sequence and what HTTP needs, nothing else', () => {
    const names = one.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
    expect(names).to.have.members([...rows.map(({ header }) => header), 'ce-sequence', ...ofHttp]);
  });

  it('ce-time is the transition time of the condition', () => {
    const {
      taskRun: { status },
    } = one.body as { taskRun: { status: { conditions: { lastTransitionTime: string }[] } } };
    expect(Date.parse(String(one.headers['ce-time']))).to.equal(
      Date.parse(status.conditions[0]?.lastTransitionTime ?? ''),
    );
  });

  it('ce-sequence grows as text from event to event of one run', () => {
    const sequences = about(uid).map(({ headers }) => String(headers['ce-sequence']));
    expect(sequences).to.have.lengthOf(2);
    expect(sequences).to.deep.equal(sequences.toSorted());
    expect(sequences[0]).to.match(/^\d{20}\.0$/);
  });

  it('ce-id is of one event alone', () => {
    const ids = world.sink.received.map(({ headers }) => headers['ce-id']);
    expect(new Set(ids).size).to.equal(2);
  });

  it('the body is JSON with one root key, taskRun or pipelineRun', async () => {
    const run = await world.finish('PipelineRun', 'piped');
    const piped = await run.told('successful');
    expect(Object.keys(one.body ?? {})).to.deep.equal(['taskRun']);
    expect(Object.keys(piped.body ?? {})).to.deep.equal(['pipelineRun']);
  });

  it('the path is that of the URL configured as sink, whatever it is', async () => {
    const { origin } = new URL(world.sink.url);
    for (const path of ['/', '/a/b%20c/', '/in?channel=runs&x=%2F']) {
      await world.configure('config-events', { sink: origin + path });
      const run = await world.finish('TaskRun', `to-${Buffer.from(path).toString('hex')}`);
      expect((await run.told('successful')).path).to.equal(path);
    }
  });

  it('a user and password in the URL become an Authorization header, and no part of the path', async () => {
    await world.configure('config-events', { sink: world.sink.url.replace('http://', 'http://user:pass@') });
    const run = await world.finish('TaskRun', 'with-credentials');
    const { headers, path } = await run.told('successful');
    expect(headers.authorization).to.equal(`Basic ${Buffer.from('user:pass').toString('base64')}`);
    expect(path).to.equal('/events');
    await world.configure('config-events', { sink: world.sink.url });
  });

  for (const status of [200, 201, 202, 204]) {
    it(`${status} is an acknowledgement: the event is not sent again`, async () => {
      world.sink.answer = answering(status);
      const run = await world.finish('TaskRun', `answered-${status}`);
      // Of one run the next goes only after the one before was settled.
      await run.condition('False/Failed/');
      await run.told('failed');
      expect(about(run.uid)).to.have.lengthOf(2);
    });
  }

  const failures: readonly { status: number; result: string; headers?: Readonly<Record<string, string>> }[] = [
    { status: 301, result: '3xx', headers: { location: '/elsewhere' } },
    { status: 307, result: '3xx', headers: { location: '/elsewhere' } },
    { status: 400, result: '4xx' },
    { status: 404, result: '4xx' },
    { status: 410, result: '4xx' },
    { status: 429, result: '4xx' },
    { status: 500, result: '5xx' },
    { status: 503, result: '5xx' },
  ];

  for (const { status, result, headers } of failures) {
    it(`${status} is a failed delivery: the same event is sent again until it is taken`, async () => {
      const counter = `event_delivery_attempts_total{result="${result}"}`;
      const before = sampleValue(await world.scrape(), counter) ?? 0;
      let left = 3;
      world.sink.answer = (received, response) => {
        left -= 1;
        (left >= 0 ? answering(status, headers) : acknowledge)(received, response);
      };
      const run = await world.finish('TaskRun', `refused-${status}`);
      await world.sink.first(() => left < 0);
      const tries = about(run.uid);
      expect(tries).to.have.lengthOf(4);
      expect(new Set(tries.map(({ rawHeaders }) => rawHeaders.join('\n'))).size).to.equal(1);
      expect(new Set(tries.map(({ bytes }) => bytes.toString())).size).to.equal(1);
      expect(tries.every(({ path }) => path === '/events')).to.equal(true);
      await world.scrapeUntil((text) => sampleValue(text, counter) === before + 3);
    });
  }
});
