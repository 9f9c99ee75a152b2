import { expect } from 'chai';
import { acknowledge, answering } from '../support/sink.ts';
import { startWorld, type World } from '../support/world.ts';

describe('7. Errors', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ args: ['--sink-backoff-initial', '10ms', '--sink-backoff-max', '20ms'] });
  });
  after(() => world.close());

  it('1. a sink reply with a non-2xx status is a failed delivery, and the delivery is retried', async () => {
    world.sink.answer = (received, response) => {
      (world.sink.received.length < 3 ? answering(502) : acknowledge)(received, response);
    };
    const run = await world.finish('TaskRun', 'retried');
    await world.scrapeUntil(/^svc_pipelines_controller_event_deliveries_total 1$/m);
    const text = await world.scrape();
    expect(text).to.match(/event_delivery_attempts_total\{result="5xx"\} 2$/m);
    expect(text).to.match(/event_delivery_attempts_total\{result="2xx"\} 1$/m);
    expect(world.sink.received.every(({ bytes }) => bytes.includes(run.uid))).to.equal(true);
  });

  it('2. an empty formats value is invalid, and said so in one sentence', async () => {
    expect(await world.configure('config-events', { sink: world.sink.url, formats: '' })).to.equal('refused');
    const { problems } = await world.controller.logged(
      (line) => line.map === 'config-events' && line.problems !== undefined,
    );
    expect(problems).to.deep.equal(['formats: expected a comma-separated list of svcv1, got ""']);
  });

  for (const { kind, reason } of [
    { kind: 'TaskRun', reason: 'TaskRunValidationFailed' },
    { kind: 'PipelineRun', reason: 'PipelineValidationFailed' },
  ] as const) {
    it(`3. a ${kind} whose validation fails is reported with a Failed event`, async () => {
      const name = `invalid-${kind.toLowerCase()}`;
      const run = await world.finish(kind, name, { condition: `False/${reason}/a parameter is missing` });
      const event = await world.kubeEvent(name, 'Failed');
      expect(event).to.include({ type: 'Warning', message: 'a parameter is missing' });
      const { headers } = await run.told('failed');
      expect(headers['ce-type']).to.equal(`dev.svc.event.${kind.toLowerCase()}.failed.v1`);
    });
  }
});
