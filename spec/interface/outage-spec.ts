import { expect } from 'chai';
import { request } from 'undici';
import { jsonAt, textAt } from '../../lib/sandbox/api/stored-object.ts';
import { startProcess } from '../support/controller-process.ts';
import type { RunOnServer } from '../support/run-on-server.ts';
import { linesOf, sampleValue } from '../support/scrape.ts';
import { type Answer, acknowledge, answering, type Sink, startSink } from '../support/sink.ts';
import { argsFor, startWorld, type World } from '../support/world.ts';

const backoff = ['--sink-backoff-initial', '10ms', '--sink-backoff-max', '50ms'];
const lease = ['--lease-duration', '2s', '--lease-renew-deadline', '1500ms', '--lease-retry', '200ms'];
const args = [...backoff, ...lease, '--sink-timeout', '1s', '--checkpoint-interval', '100ms'];

const conditions = ['Unknown/Started/', 'Unknown/Running/', 'Unknown/Pending/', 'Unknown/Running/', 'True/Succeeded/'];
const types = ['started', 'running', 'unknown', 'running', 'successful'].map(
  (word) => `dev.svc.event.taskrun.${word}.v1`,
);

describe('outage', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ args });
  });
  after(() => world.close());
  afterEach(() => {
    world.sink.answer = acknowledge;
  });

  /** Takes so many runs from their start to their end, all at once. */
  async function live(prefix: string, count: number): Promise<readonly RunOnServer[]> {
    return Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const run = await world.create('TaskRun', `${prefix}-${index}`);
        for (const condition of conditions) await run.condition(condition);
        return run;
      }),
    );
  }

  /** Waits for the end of each run, and looks that nothing was lost, new or out of order. */
  async function allTold(runs: readonly RunOnServer[], { received, told, typesOf }: Sink, ids = 5): Promise<void> {
    for (const { uid, name } of runs) {
      await told(uid, 'successful');
      expect(typesOf(name)).to.deep.equal(types);
      const seen = received
        .filter(({ headers }) => headers['ce-subject'] === name)
        .map(({ headers }) => headers['ce-id']);
      expect(new Set(seen).size).to.equal(ids);
    }
  }

  const troubles: readonly { what: string; answer: Answer }[] = [
    { what: 'answers 500', answer: answering(500) },
    { what: 'ends the connection without an answer', answer: (_, response) => void response.destroy() },
    { what: 'does not answer', answer: () => {} },
  ];

  for (const [index, { what, answer }] of troubles.entries()) {
    it(`a sink that ${what} for a while loses nothing: every event once it recovers, in order, same ids`, async () => {
      world.sink.answer = answer;
      const before = world.sink.received.length;
      const runs = await live(`trouble-${index}`, 10);
      await world.scrapeUntil((text) => sampleValue(text, 'event_sink_circuit_open') === 1);
      await world.sink.first((one) => world.sink.received.indexOf(one) >= before + 4);
      world.sink.answer = acknowledge;
      await allTold(runs, world.sink);
      const text = await world.scrapeUntil((one) => sampleValue(one, 'event_queue_length') === 0);
      expect(sampleValue(text, 'event_sink_circuit_open')).to.equal(0);
      for (const line of linesOf(text, 'event_drops_total')) expect(line).to.match(/ 0$/);
    });
  }

  it('the log says once that the sink fails, and once that it recovered', async () => {
    const after = world.controller.lines.length;
    world.sink.answer = answering(500);
    const runs = await live('said', 2);
    await world.sink.first(
      () => world.sink.received.filter(({ headers }) => /^said/.test(`${headers['ce-subject']}`)).length > 1,
    );
    world.sink.answer = acknowledge;
    await allTold(runs, world.sink);
    const recovered = (line: { msg: string }) => line.msg === 'the sink takes events again';
    await world.controller.logged(recovered, after);
    const said = world.controller.lines.slice(after).map(({ msg }) => msg);
    expect(said.filter((msg) => msg === 'the sink did not take an event')).to.have.lengthOf(1);
  });

  it('a sink that is away, and comes back at its address, gets everything', async () => {
    const away = await startSink();
    const { port } = new URL(away.url);
    await world.configure('config-events', { sink: away.url });
    await away.close();
    const runs = await live('away', 5);
    await world.scrapeUntil(
      (text) => (sampleValue(text, 'event_delivery_attempts_total{result="unreachable"}') ?? 0) > 0,
    );
    const back = await startSink(Number(port));
    await allTold(runs, back);
    await back.close();
    await world.configure('config-events', { sink: world.sink.url });
  });

  it('Retry-After of a 429 is honoured', async () => {
    const times: number[] = [];
    world.sink.answer = (received, response) => {
      times.push(performance.now());
      (times.length === 1 ? answering(429, { 'retry-after': '1' }) : acknowledge)(received, response);
    };
    const run = await world.create('TaskRun', 'too-many');
    await run.condition('True/Succeeded/');
    await world.sink.first(() => times.length === 2);
    expect((times[1] ?? 0) - (times[0] ?? 0)).to.be.greaterThan(990);
  });

  it('a config-events that is deleted and created again loses nothing', async () => {
    const path = `/api/v1/namespaces/${world.namespace}/configmaps/config-events`;
    await world.server.request('DELETE', path);
    const { json } = await world.server.request('GET', path);
    expect(json.code).to.equal(404);
    const runs: RunOnServer[] = [];
    // The first ones may still go, until the controller has heard of the deletion.
    for (let waiting = 0; waiting === 0; waiting = sampleValue(await world.scrape(), 'event_queue_length') ?? 0) {
      const run = await world.create('TaskRun', `replaced-${runs.length}`);
      await run.condition(`True/Replaced${runs.length}/`);
      await world.scrapeUntil((text) => text.includes(`reason="Replaced${runs.length}"`));
      runs.push(run);
    }
    await world.configure('config-events', { sink: world.sink.url });
    for (const run of runs) await run.told('successful');
  });

  it('a bad config map is refused, and says so in log, Event, metric and /readyz?verbose, until it is good', async () => {
    const problem = 'sink: expected an absolute http:// or https:// URL, got a text that is no URL';
    const readyz = async () => {
      const { statusCode, body } = await request(`${world.healthUrl}/readyz?verbose`);
      return { statusCode, text: await body.text() };
    };
    const valid = async () => sampleValue(await world.scrape(), 'config_valid{map="config-events"}');

    expect(await world.configure('config-events', { sink: 'nowhere' })).to.equal('refused');
    const { problems } = await world.controller.logged(
      ({ msg }) => msg === 'settings refused, the last good ones stay',
    );
    expect(problems).to.deep.equal([problem]);
    const event = await world.kubeEvent('config-events', 'InvalidConfig');
    expect(event).to.include({ type: 'Warning', message: problem });
    expect(textAt(event.involvedObject, 'kind')).to.equal('ConfigMap');
    expect(await valid()).to.equal(0);
    const refused = await readyz();
    expect(refused.statusCode).to.equal(200);
    expect(refused.text).to.include(`[!]config-events: ${problem} (refused, the last good text stays in force)`);
    await world.finish('TaskRun', 'in-spite-of-it');

    expect(await world.configure('config-events', { sink: world.sink.url })).to.equal('applied');
    expect(await valid()).to.equal(1);
    expect((await readyz()).text).to.not.include('[!]');
  });

  // Last, because it ends the controller that the others share.
  it('a controller that is killed while the sink fails, and started again, loses nothing and makes no new id', async () => {
    await checkpointHolds(await world.finish('TaskRun', 'before-the-kill'));
    world.sink.answer = answering(500);
    const runs = await live('killed', 10);
    await world.sink.first(({ headers }) => /^killed/.test(`${headers['ce-subject']}`));
    await world.controller.stop('SIGKILL');
    world.sink.answer = acknowledge;
    const next = startProcess([...argsFor(world.server, world.namespace), ...args]);
    try {
      await allTold(runs, world.sink);
    } finally {
      await next.stop();
    }
  });

  /** Waits until the Lease says that all is acknowledged up to the version that this run ended with. */
  async function checkpointHolds(run: RunOnServer): Promise<void> {
    const { body } = await run.told('successful');
    const version = Number(textAt(jsonAt(body?.taskRun, 'metadata'), 'resourceVersion'));
    const watch = await world.server.watch(`/apis/coordination.k8s.io/v1/namespaces/${world.namespace}/leases`);
    for (;;) {
      const [line] = await watch.take(1);
      const annotations = jsonAt(jsonAt(line?.object, 'metadata'), 'annotations');
      const { marks } = JSON.parse(textAt(annotations, 'svc.dev/checkpoint') || '{}');
      if (Number(marks?.[`taskruns/${world.namespace}`]?.acked) >= version) return watch.close();
    }
  }
});
