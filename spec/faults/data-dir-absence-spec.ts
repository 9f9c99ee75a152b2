import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type ControllerProcess, startProcess } from '../support/controller-process.ts';
import { acknowledge, answering } from '../support/sink.ts';
import { argsFor, startWorld, type World } from '../support/world.ts';

const quick = ['--sink-backoff-initial', '10ms', '--sink-backoff-max', '20ms', '--lease-duration', '1s'];
const lease = ['--lease-renew-deadline', '800ms', '--lease-retry', '200ms', '--checkpoint-interval', '100ms'];

/** What happened while the replica of a data dir was away. */
describe('a data dir that was left alone', () => {
  let parent: string;
  let world: World;
  const others: ControllerProcess[] = [];
  const args = (name: string) => ['--data-dir', join(parent, name), ...quick, ...lease];

  beforeEach(async () => {
    parent = mkdtempSync(join(tmpdir(), 'data-dirs-'));
    world = await startWorld({ args: args('a') });
  });
  afterEach(async () => {
    await Promise.all(others.splice(0).map((one) => one.stop()));
    await world.close();
    rmSync(parent, { recursive: true, force: true });
  });

  function startOn(name: string): ControllerProcess {
    const one = startProcess([...argsFor(world.server, world.namespace), ...args(name)]);
    others.push(one);
    return one;
  }

  /** What a later sink got, `name word` each. */
  const receivedSince = (count: number) =>
    world.sink.received
      .slice(count)
      .map(({ headers }) => `${headers['ce-subject']} ${String(headers['ce-type']).split('.').at(-2)}`);

  it('lets go what another replica has told since, and what it knew to be told', async () => {
    world.sink.answer = answering(503);
    const run = await world.create('TaskRun', 'one');
    await run.condition('Unknown/Running/');
    await run.told('started');
    await world.controller.stop();
    const ids = new Set(world.sink.received.map(({ headers }) => headers['ce-id']));
    world.sink.answer = acknowledge;
    const before = world.sink.received.length;
    const other = startOn('b');
    await run.told('running');
    await run.condition('Unknown/Pulling/');
    await run.told('unknown');
    await other.stop();
    expect(receivedSince(before)).to.deep.equal(['one started', 'one running', 'one unknown']);
    expect(ids.has(world.sink.received[before]?.headers['ce-id'])).to.equal(true);

    const back = startOn('a');
    const read = await back.logged(({ msg }) => msg === 'the data dir is read');
    expect(read).to.deep.include({ ours: false, waiting: 0, toldElsewhere: 2 });
    await run.condition('True/Succeeded/');
    await run.told('successful');
    expect(receivedSince(before + 3)).to.deep.equal(['one successful']);
  });

  it('delivers what the other replica had not, once and in order', async () => {
    world.sink.answer = answering(503);
    const run = await world.create('TaskRun', 'one');
    await run.condition('Unknown/Running/');
    await run.told('started');
    await world.controller.stop();
    const other = startOn('b');
    await other.logged(({ msg }) => msg === 'synced');
    await run.condition('True/Succeeded/');
    await other.stop();
    world.sink.answer = acknowledge;
    const before = world.sink.received.length;
    const back = startOn('a');
    await run.told('successful');
    const read = await back.logged(({ msg }) => msg === 'the data dir is read');
    expect(read).to.deep.include({ ours: false, waiting: 2, toldElsewhere: 0 });
    expect(receivedSince(before)).to.deep.equal(['one started', 'one running', 'one successful']);
  });

  it('knows what is news when the history of the API server is gone: no more and no less', async () => {
    const [told, changed] = [await world.create('TaskRun', 'told'), await world.create('TaskRun', 'changed')];
    for (const run of [told, changed]) {
      await run.condition('Unknown/Running/');
      await run.told('running');
    }
    await world.controller.stop();
    const before = world.sink.received.length;
    await changed.condition('True/Succeeded/');
    const fresh = await world.create('TaskRun', 'fresh');
    await fresh.condition('Unknown/Running/');
    await world.server.compact();
    const back = startOn('a');
    await back.logged(({ msg }) => msg === 'synced');
    await Promise.all([changed.told('successful'), fresh.told('running')]);
    await back.stop();
    const news = ['changed successful', 'fresh running', 'fresh started'];
    expect(receivedSince(before).toSorted()).to.deep.equal(news);
    expect(world.sink.received.slice(before).map(({ headers }) => headers['ce-synthesized'])).to.deep.equal(
      Array(3).fill('true'),
    );
  });
  // Three processes start and stop, one after the other.
}).timeout(60_000);
