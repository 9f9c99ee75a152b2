import { expect } from 'chai';
import { startWorld, type World } from '../support/world.ts';

const type = (word: string) => `dev.svc.event.${word}.v1`;

describe('6.2 CloudEvents', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ maps: { 'feature-flags': { 'send-cloudevents-for-runs': 'true' } } });
  });
  after(() => world.close());

  it('tells a TaskRun from Started to Succeeded', async () => {
    const run = await world.create('TaskRun', 'build');
    await run.condition('Unknown/Started/');
    await run.condition('Unknown/Running/Not all Steps have finished executing');
    await run.condition('Unknown/Running/One Step has finished executing');
    await run.condition('Unknown/ExceededNodeResources/');
    await run.condition('True/Succeeded/All Steps have completed executing');
    await world.sink.first(({ headers }) => headers['ce-type'] === type('taskrun.successful'));
    const want = ['started', 'running', 'running', 'unknown', 'successful'].map((word) => type(`taskrun.${word}`));
    expect(world.sink.typesOf('build')).to.deep.equal(want);
  });
});
