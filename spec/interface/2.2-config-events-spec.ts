import { expect } from 'chai';
import { lasting } from '../support/run-on-server.ts';
import { sampleValue } from '../support/scrape.ts';
import { type Sink, startSink } from '../support/sink.ts';
import { startWorld, type World } from '../support/world.ts';

describe('2.2 Configuration maps config-events, config-defaults and feature-flags', () => {
  let world: World;
  let other: Sink;
  before(async () => {
    world = await startWorld();
    other = await startSink();
  });
  after(async () => {
    await world.close();
    await other.close();
  });
  beforeEach(async () => {
    await world.configure('config-events', { sink: world.sink.url });
    await world.configure('config-defaults', {});
    await world.configure('feature-flags', {});
  });

  /** Ends a TaskRun that nobody need hear of, and waits until it is counted. */
  async function finishUnheard(name: string): Promise<void> {
    const run = await world.create('TaskRun', name);
    await run.condition(`True/${name}/`, lasting(1));
    await world.scrapeUntil((text) => sampleValue(text, `taskrun_total{status="success",reason="${name}"}`) === 1);
  }

  const formats: readonly { value: string; outcome: 'applied' | 'refused' }[] = [
    { value: 'svcv1', outcome: 'applied' },
    { value: 'svcv1, svcv1', outcome: 'applied' },
    { value: '', outcome: 'refused' },
    { value: ',', outcome: 'refused' },
    { value: 'svcv2', outcome: 'refused' },
    { value: 'svcv1,svcv2', outcome: 'refused' },
  ];

  for (const { value, outcome } of formats) {
    it(`formats "${value}" is ${outcome}`, async () => {
      expect(await world.configure('config-events', { sink: world.sink.url, formats: value })).to.equal(outcome);
    });
  }

  it('formats is svcv1 by default: a map with a sink alone sends events', async () => {
    await world.finish('TaskRun', 'default-format');
    expect(world.sink.typesOf('default-format')).to.deep.equal(['dev.svc.event.taskrun.successful.v1']);
  });

  it('an empty formats does not disable events: what was in force stays', async () => {
    expect(await world.configure('config-events', { formats: '' })).to.equal('refused');
    await world.finish('TaskRun', 'still-heard');
  });

  it('sink is where events go, and takes effect live', async () => {
    await world.configure('config-events', { sink: other.url });
    const run = await world.create('TaskRun', 'elsewhere');
    await run.condition('True/Succeeded/');
    await other.told(run.uid, 'successful');
    expect(world.sink.typesOf('elsewhere')).to.deep.equal([]);
  });

  it('omitting sink disables events', async () => {
    await world.configure('config-events', {});
    await finishUnheard('unheard');
    await world.configure('config-events', { sink: world.sink.url });
    await world.finish('TaskRun', 'heard');
    expect(world.sink.typesOf('unheard')).to.deep.equal([]);
  });

  for (const value of ['events.example', '/events', 'ftp://events.example/', 'http://', 'http://a b/']) {
    it(`sink "${value}" is refused, and the sink before stays`, async () => {
      expect(await world.configure('config-events', { sink: value })).to.equal('refused');
      await world.finish('TaskRun', `after-${Buffer.from(value).toString('hex')}`);
    });
  }

  it('a sink is never written to the log', async () => {
    const secret = 'http://user:hidden-word@127.0.0.1:9/hidden-path?token=hidden-token';
    await world.configure('config-events', { sink: secret });
    await world.configure('config-events', { sink: `${secret} ` });
    await world.configure('config-events', { sink: world.sink.url });
    expect(JSON.stringify(world.controller.lines)).to.not.include('hidden');
  });

  it('default-cloud-events-sink is used where config-events names no sink', async () => {
    await world.configure('config-events', {});
    await world.configure('config-defaults', { 'default-cloud-events-sink': other.url });
    const run = await world.create('TaskRun', 'by-the-old-key');
    await run.condition('True/Succeeded/');
    await other.told(run.uid, 'successful');
  });

  it('sink takes precedence over default-cloud-events-sink', async () => {
    await world.configure('config-defaults', { 'default-cloud-events-sink': other.url });
    await world.finish('TaskRun', 'by-the-new-key');
    await world.configure('config-events', {});
    const later = await world.create('TaskRun', 'by-the-old-key-again');
    await later.condition('True/Succeeded/');
    await other.told(later.uid, 'successful');
    expect(other.typesOf('by-the-new-key')).to.deep.equal([]);
  });

  it('default-cloud-events-sink that is no URL is refused', async () => {
    expect(await world.configure('config-defaults', { 'default-cloud-events-sink': 'nowhere' })).to.equal('refused');
  });

  for (const value of ['True', 'yes', '']) {
    it(`send-cloudevents-for-runs "${value}" is refused`, async () => {
      expect(await world.configure('feature-flags', { 'send-cloudevents-for-runs': value })).to.equal('refused');
    });
  }

  it('send-cloudevents-for-runs is false by default, and takes effect live both ways', async () => {
    const end = async (name: string) => {
      const run = await world.create('CustomRun', name);
      await run.condition('True/Succeeded/');
      return run;
    };
    const versionsSeen = (count: number) =>
      world.scrapeUntil((text) => sampleValue(text, 'watch_events_total{resource="customruns"}') === count);
    await end('before-the-flag');
    await versionsSeen(2);
    await world.configure('feature-flags', { 'send-cloudevents-for-runs': 'true' });
    const heard = await end('with-the-flag');
    await heard.told('successful');
    await world.configure('feature-flags', { 'send-cloudevents-for-runs': 'false' });
    await end('after-the-flag');
    await versionsSeen(6);
    await world.configure('feature-flags', { 'send-cloudevents-for-runs': 'true' });
    const last = await end('with-the-flag-again');
    await last.told('successful');
    for (const name of ['before-the-flag', 'after-the-flag']) expect(world.sink.typesOf(name)).to.deep.equal([]);
  });
});
