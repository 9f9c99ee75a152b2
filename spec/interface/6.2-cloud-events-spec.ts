import { expect } from 'chai';
import type { Kind } from '../../lib/run/kind.ts';
import { startProcess } from '../support/controller-process.ts';
import { sampleValue } from '../support/scrape.ts';
import { acknowledge, answering } from '../support/sink.ts';
import { argsFor, startWorld, type World } from '../support/world.ts';

const quickly = ['--sink-backoff-initial', '10ms', '--sink-backoff-max', '20ms'];
const type = (word: string) => `dev.svc.event.${word}.v1`;

/** Lives that pass through every one of the fourteen types. */
const lives: readonly { kind: Kind; name: string; conditions: readonly string[]; want: readonly string[] }[] = [
  {
    kind: 'TaskRun',
    name: 'task',
    conditions: ['Unknown/Started/', 'Unknown/Running/one', 'Unknown/Running/two', 'Unknown/ExceededNodeResources/'],
    want: ['taskrun.started', 'taskrun.running', 'taskrun.running', 'taskrun.unknown'],
  },
  { kind: 'TaskRun', name: 'task-well', conditions: ['True/Succeeded/'], want: ['taskrun.successful'] },
  { kind: 'TaskRun', name: 'task-badly', conditions: ['False/TaskRunTimeout/'], want: ['taskrun.failed'] },
  {
    kind: 'TaskRun',
    name: 'task-running-at-first-sight',
    conditions: ['Unknown/Running/'],
    want: ['taskrun.started', 'taskrun.running'],
  },
  {
    kind: 'PipelineRun',
    name: 'pipeline',
    conditions: ['Unknown/Started/', 'Unknown/Running/', 'Unknown/PipelineRunStopping/'],
    want: ['pipelinerun.started', 'pipelinerun.running', 'pipelinerun.unknown'],
  },
  { kind: 'PipelineRun', name: 'pipeline-well', conditions: ['True/Completed/'], want: ['pipelinerun.successful'] },
  { kind: 'PipelineRun', name: 'pipeline-badly', conditions: ['False/Cancelled/'], want: ['pipelinerun.failed'] },
  {
    kind: 'CustomRun',
    name: 'custom',
    conditions: ['Unknown/Anything/', 'Unknown/Another/'],
    want: ['run.started', 'run.running', 'run.running'],
  },
  { kind: 'CustomRun', name: 'custom-well', conditions: ['True/Succeeded/'], want: ['run.started', 'run.successful'] },
  { kind: 'CustomRun', name: 'custom-badly', conditions: ['False/Failed/'], want: ['run.started', 'run.failed'] },
];

describe('6.2 CloudEvents', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ maps: { 'feature-flags': { 'send-cloudevents-for-runs': 'true' } }, args: quickly });
  });
  after(() => world.close());
  afterEach(() => {
    world.sink.answer = acknowledge;
  });

  for (const { kind, name, conditions, want } of lives) {
    it(`${kind} by way of ${conditions.map((one) => one.split('/')[1]).join(', ')}: ${want.join(', ')}`, async () => {
      const run = await world.create(kind, name);
      for (const condition of conditions) await run.condition(condition);
      await world.sink.first(() => world.sink.typesOf(name).length >= want.length);
      expect(world.sink.typesOf(name)).to.deep.equal(want.map(type));
    });
  }

  it('1. an event is sent whenever the Succeeded condition changes in state, reason or message', async () => {
    const run = await world.create('TaskRun', 'rule-1');
    for (const condition of ['Unknown/A/m', 'Unknown/A/m', 'Unknown/B/m', 'Unknown/B/n', 'True/B/n']) {
      await run.condition(condition);
    }
    await run.told('successful');
    const want = ['started', 'unknown', 'unknown', 'unknown', 'successful'];
    expect(world.sink.typesOf('rule-1')).to.deep.equal(want.map((word) => type(`taskrun.${word}`)));
  });

  it('2. retries of one run block neither the others nor what is counted', async () => {
    world.sink.answer = (received, response) => {
      (received.headers['ce-subject'] === 'rule-2-stuck' ? answering(500) : acknowledge)(received, response);
    };
    const stuck = await world.create('TaskRun', 'rule-2-stuck');
    await stuck.condition('False/Stuck/');
    await stuck.told('failed');
    await world.finish('TaskRun', 'rule-2-passes');
    const tries = () => world.sink.received.filter(({ headers }) => headers['ce-subject'] === 'rule-2-stuck').length;
    const before = tries();
    await world.sink.first(() => tries() > before);
    expect(await world.scrape()).to.match(/taskrun_total\{status="failed",reason="Stuck"\} 1/);
  });

  it('3. a failed delivery is retried', async () => {
    let failures = 5;
    world.sink.answer = (received, response) => {
      failures -= 1;
      (failures >= 0 ? answering(503) : acknowledge)(received, response);
    };
    const run = await world.create('TaskRun', 'rule-3');
    await run.condition('True/Succeeded/');
    await world.sink.first(() => failures < 0);
    expect(world.sink.typesOf('rule-3')).to.deep.equal([type('taskrun.successful')]);
  });

  it('4. events of one run arrive in order, whatever has to be retried', async () => {
    let count = 0;
    world.sink.answer = (received, response) => {
      count += 1;
      (count % 2 === 1 ? answering(500) : acknowledge)(received, response);
    };
    const run = await world.create('TaskRun', 'rule-4');
    for (const condition of ['Unknown/Started/', 'Unknown/Running/', 'Unknown/Pending/', 'True/Succeeded/']) {
      await run.condition(condition);
    }
    await run.told('successful');
    const want = ['started', 'running', 'unknown', 'successful'];
    expect(world.sink.typesOf('rule-4')).to.deep.equal(want.map((word) => type(`taskrun.${word}`)));
  });

  it('6. events that are emitted while no sink is configured are not sent later', async () => {
    await world.configure('config-events', {});
    const missed = await world.create('TaskRun', 'rule-6-missed');
    await missed.condition('True/Missed/');
    await world.scrapeUntil(/taskrun_total\{status="success",reason="Missed"\} 1/);
    await world.configure('config-events', { sink: world.sink.url });
    await missed.condition('True/Missed/now the sink is there');
    await missed.told('successful');
    const { body } = await missed.told('successful');
    expect(JSON.stringify(body)).to.include('now the sink is there');
  });

  it('7. CustomRun events are sent only when send-cloudevents-for-runs is true', async () => {
    await world.configure('feature-flags', { 'send-cloudevents-for-runs': 'false' });
    const seen = (text: string) => sampleValue(text, 'watch_events_total{resource="customruns"}') ?? 0;
    const before = seen(await world.scrape());
    const silent = await world.create('CustomRun', 'rule-7-silent');
    await silent.condition('True/Succeeded/');
    await world.scrapeUntil((text) => seen(text) === before + 2);
    await world.configure('feature-flags', { 'send-cloudevents-for-runs': 'true' });
    const heard = await world.create('CustomRun', 'rule-7-heard');
    await heard.told('started');
    expect(world.sink.typesOf('rule-7-silent')).to.deep.equal([]);
  });

  // Last, because it ends the controller that the others share.
  it('5. an event that was not acknowledged is sent again after a restart, with the same id', async () => {
    world.sink.answer = answering(500);
    const create = async (kind: Kind) => {
      const run = await world.create(kind, `rule-5-${kind.toLowerCase()}`);
      await run.condition('True/Succeeded/');
      return { run, first: await run.told(kind === 'CustomRun' ? 'started' : 'successful') };
    };
    const runs = [await create('TaskRun'), await create('CustomRun')];
    await world.controller.stop();
    const heardBefore = new Set(world.sink.received);
    world.sink.answer = acknowledge;
    const next = startProcess([...argsFor(world.server, world.namespace), ...quickly]);
    try {
      for (const { run, first } of runs) {
        const again = await world.sink.first((one) => one.bytes.includes(run.uid) && !heardBefore.has(one));
        expect(again.rawHeaders).to.deep.equal(first.rawHeaders);
        expect(again.bytes).to.deep.equal(first.bytes);
      }
    } finally {
      await next.stop();
    }
  });
});
