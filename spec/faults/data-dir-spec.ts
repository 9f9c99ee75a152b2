import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type ControllerProcess, startProcess } from '../support/controller-process.ts';
import { acknowledge, answering } from '../support/sink.ts';
import { argsFor, startWorld, type World } from '../support/world.ts';

const quick = ['--sink-backoff-initial', '10ms', '--sink-backoff-max', '20ms', '--lease-duration', '1s'];
const lease = ['--lease-renew-deadline', '800ms', '--lease-retry', '200ms', '--checkpoint-interval', '100ms'];

describe('a data dir', () => {
  let dir: string;
  let world: World;
  const others: ControllerProcess[] = [];
  const args = () => ['--data-dir', dir, ...quick, ...lease];

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'data-dir-'));
    world = await startWorld({ args: args() });
  });
  afterEach(async () => {
    await Promise.all(others.splice(0).map((one) => one.stop()));
    await world.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /** Starts the controller again on the same data dir. */
  function startAgain(more: readonly string[] = []): ControllerProcess {
    const again = startProcess([...argsFor(world.server, world.namespace), ...args(), ...more]);
    others.push(again);
    return again;
  }

  /** Scrapes until so many events stand in the data dir. */
  const keptIs = (count: number) =>
    world.scrapeUntil(new RegExp(`^svc_pipelines_controller_outbox_events ${count}$`, 'm'));

  it('delivers after a kill what a failing sink had not taken, also of a run that is gone, under the same ids', async () => {
    world.sink.answer = answering(503);
    const run = await world.create('TaskRun', 'gone');
    await run.condition('Unknown/Running/');
    await run.condition('True/Succeeded/');
    await run.told('started');
    await run.remove();
    await keptIs(3);
    const [id] = world.sink.received.map(({ headers }) => headers['ce-id']);
    await world.controller.stop('SIGKILL');
    world.sink.answer = acknowledge;
    startAgain();
    const last = await run.told('successful');
    expect(world.sink.typesOf('gone').map((type) => type.split('.').at(-2))).to.deep.equal([
      'started',
      'running',
      'successful',
    ]);
    expect(world.sink.received.filter(({ headers }) => headers['ce-id'] === id).length).to.be.at.least(2);
    expect(last.body).to.have.nested.property('taskRun.metadata.name', 'gone');
  });

  it('tells nothing twice that was acknowledged, and misses nothing that happened while nobody watched', async () => {
    const [before, during] = [await world.create('TaskRun', 'before'), await world.create('TaskRun', 'during')];
    for (const run of [before, during]) {
      await run.condition('Unknown/Running/');
      await run.told('running');
    }
    // In good order: a kill may come between the answer of the sink and the disk.
    await world.controller.stop();
    const seen = world.sink.received.length;
    await during.condition('Unknown/Pulling/');
    await during.condition('True/Succeeded/');
    const again = startAgain();
    await during.told('successful');
    expect(world.sink.typesOf('during').map((type) => type.split('.').at(-2))).to.deep.equal([
      'started',
      'running',
      'unknown',
      'successful',
    ]);
    const { ours } = await again.logged(({ msg }) => msg === 'the data dir is read');
    expect(ours).to.equal(true);
    expect(world.sink.received.slice(seen).map(({ headers }) => headers['ce-subject'])).to.deep.equal([
      'during',
      'during',
    ]);
  });

  it('is refused to a second process, in one sentence and with exit code 2', async () => {
    const second = startProcess([...argsFor(world.server, world.namespace), '--data-dir', dir]);
    expect(await second.ended).to.equal(2);
    expect(second.lines.map(({ msg }) => msg)).to.deep.equal([
      `${dir}: expected to be alone in the data dir, another process has it open`,
    ]);
  });

  it('keeps what was given up, and replay sends it under the same id', async () => {
    await world.controller.stop();
    const again = startAgain(['--sink-give-up', '1s']);
    await again.logged(({ msg }) => msg === 'synced');
    world.sink.answer = answering(503);
    const run = await world.create('TaskRun', 'unlucky');
    await run.condition('False/Failed/');
    await again.logged(({ msg }) => msg === 'an event was dropped');
    await again.stop();
    world.sink.answer = acknowledge;
    const replay = startProcess(['replay', '--data-dir', dir, '--to', world.sink.url]);
    others.push(replay);
    expect(await replay.ended).to.equal(0);
    const { headers } = await run.told('failed');
    expect(replay.stdout()).to.match(new RegExp(`unlucky ${headers['ce-id']}: taken\n1 of 1 taken\n$`));
    expect(world.sink.received.at(-1)?.headers['ce-id']).to.equal(headers['ce-id']);
  });

  it('is left by cleanup, which deletes the Lease and the last good settings', async () => {
    await world.controller.stop();
    const clean = () => startProcess(['cleanup', ...argsFor(world.server, world.namespace)]);
    const names = [
      `Lease ${world.namespace}/svc-pipelines-controller`,
      `ConfigMap ${world.namespace}/svc-pipelines-controller-last-good`,
    ];
    const sorted = (text: string) => text.trim().split('\n').sort();
    const first = clean();
    expect(await first.ended).to.equal(0);
    expect(sorted(first.stdout())).to.deep.equal(names.map((name) => `${name} is deleted`).sort());
    const second = clean();
    expect(await second.ended).to.equal(0);
    expect(sorted(second.stdout())).to.deep.equal(names.map((name) => `${name} was not there`).sort());
  });
});
