import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { firstValueFrom, Subject } from 'rxjs';
import { readLetters } from '../../../../lib/io/outbox/read-letters.ts';
import type { Measure } from '../../../../lib/metrics/own.ts';
import { observe } from '../../../../lib/run/observe.ts';
import { dataDirPerSpec } from '../../../support/data-dir.ts';
import { outgoing } from '../../../support/outgoing.ts';
import { observed, svc } from '../../../support/runs.ts';

const known = (version: number, condition = 'Unknown/Running/') =>
  observe(undefined, observed({ uid: 'u1', version, condition }), svc.behaviour).known;

/** Starts a process that keeps events until it is killed, and kills it after some commits; gives the last number said. */
async function killedWriter(dir: string, first: number, commits: number): Promise<number> {
  const child = spawn(process.execPath, ['spec/support/outbox-writer.ts', dir, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = first;
  let lines = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    said = Number(line);
    lines += 1;
    if (lines === commits) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  return said;
}

describe('openOutbox', () => {
  const { at, open, refusal, sentences } = dataDirPerSpec();

  it('gives back what it kept, in order and to the byte', async () => {
    const [a, b] = [outgoing({ source: 'a' }), { ...outgoing({ source: 'b' }), traceparent: '00-1-2-01' }];
    const first = await open();
    first.put('taskruns', [a, b]);
    first.tell('taskruns', known(7));
    first.reached('taskruns', '9');
    first.listed('taskruns');
    await first.close();

    const second = await open();
    const { events, told } = await second.load();
    expect(events).to.deep.equal([a, b].map((event) => ({ event, putAtMs: 1000 })));
    expect(told).to.deep.equal([{ watch: 'taskruns', known: known(7), countedAt: undefined }]);
    expect(second.state()).to.deep.include({ marks: { taskruns: '9' }, complete: ['taskruns'] });
    expect(second.state().id).to.equal(first.state().id);
  });

  it('forgets what was settled, and runs that are gone', async () => {
    const first = await open();
    const [kept, settled, early] = [outgoing({ source: 'a' }), outgoing({ source: 'b' }), outgoing({ source: 'c' })];
    first.put('taskruns', [kept, settled]);
    first.tell('taskruns', known(7));
    expect(await first.flush()).to.equal(true);
    first.put('taskruns', [early]);
    first.settle(early);
    first.settle(settled);
    first.forget('u1');
    const { events, told } = await first.load();
    expect(events.map(({ event }) => event.name)).to.deep.equal(['a']);
    expect(told).to.deep.equal([]);
    expect(at.measure.gauges.get('outbox_events')).to.equal(1);
  });

  it('remembers the first version at which a run was counted', async () => {
    const outbox = await open();
    outbox.tell('taskruns', known(7, 'True/Succeeded/'));
    await outbox.flush();
    outbox.tell('taskruns', known(9, 'True/Succeeded/'));
    const { told } = await outbox.load();
    expect(told.map(({ countedAt, known }) => [countedAt, known.run.resourceVersion])).to.deep.equal([['7', '9']]);
  });

  it('forgets all that was told, and keeps events', async () => {
    const outbox = await open();
    outbox.put('taskruns', [outgoing()]);
    outbox.tell('taskruns', known(7));
    outbox.reached('taskruns', '9');
    outbox.listed('taskruns');
    await outbox.flush();
    outbox.forgetTold();
    const { events, told } = await outbox.load();
    expect([events.length, told.length]).to.deep.equal([1, 0]);
    expect(outbox.state()).to.deep.include({ marks: {}, complete: [] });
  });

  for (let kill = 1; kill <= 10; kill += 1) {
    it(`loses nothing that it said was committed when it is killed after ${kill} commits`, async () => {
      const said = await killedWriter(at.dir, 0, kill);
      const outbox = await open();
      const { events } = await outbox.load();
      const numbers = new Set(events.map(({ event }) => Number(event.sequence)));
      const lost = Array.from({ length: said }, (_, index) => index + 1).filter((number) => !numbers.has(number));
      expect(said).to.be.at.least(20 * kill);
      expect(lost).to.deep.equal([]);
      expect(sentences()).to.deep.equal([]);
    });
  }

  const many = (count: number) => Array.from({ length: count }, (_, index) => outgoing({ source: `run-${index}` }));
  /** An outbox that writes at once, and how many events stand in its data dir after the first write. */
  const quick = async () => {
    const first$ = new Subject<number>();
    const set: Measure['set'] = (name, value) => void (name === 'outbox_events' && first$.next(value));
    const kept = firstValueFrom(first$);
    return { outbox: await open({ gatherMs: 1, measure: { ...at.measure, set } }), kept };
  };

  it('writes everything while the sink takes nothing', async () => {
    const { outbox, kept } = await quick();
    outbox.put('taskruns', many(3000));
    outbox.reached('taskruns', '9');
    expect(await kept).to.equal(3000);
    expect(outbox.state().marks).to.deep.equal({ taskruns: '9' });
  });

  it('leaves unwritten what the sink is about to take, and its mark, until they are asked for', async () => {
    const { outbox, kept } = await quick();
    const events = many(6000);
    outbox.put('taskruns', events);
    outbox.reached('taskruns', '9');
    for (const event of events.slice(0, 3000)) outbox.settle(event);
    // What the checkpoint may list beside its mark.
    expect(await kept).to.equal(100);
    expect(outbox.state().marks).to.deep.equal({});
    expect((await outbox.load()).events.length).to.equal(3000);
    expect(outbox.state().marks).to.deep.equal({ taskruns: '9' });
  });

  it('goes on with a database of smaller pages', async () => {
    const db = new DatabaseSync(join(at.dir, 'outbox.db'));
    db.exec('PRAGMA page_size = 8192; CREATE TABLE other (a)');
    db.close();
    const outbox = await open({ limitBytes: 30 * 8192, retry: { initialMs: 1, maxMs: 1 } });
    // One in each page: the limit is as many pages of their size as make it up.
    const sized = (count: number) =>
      Array.from({ length: count }, (_, index) => outgoing({ source: `${count}-${index}`, bytes: 4096 }));
    outbox.put('taskruns', sized(20));
    expect(await outbox.flush()).to.equal(true);
    outbox.put('taskruns', sized(15));
    expect(await outbox.flush()).to.equal(false);
    expect((await outbox.load()).events.length).to.equal(35);
  });

  it('refuses a data dir that another process has open', async () => {
    await open();
    const script = `import('./lib/io/outbox/open-database.ts').then(({ openDatabase }) =>
      console.log(openDatabase({ dir: ${JSON.stringify(at.dir)}, limitBytes: undefined }).refusal))`;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    expect(line).to.equal(`${at.dir}: expected to be alone in the data dir, another process has it open`);
  });

  it('refuses a database of a newer version, and leaves it as it is', async () => {
    const db = new DatabaseSync(join(at.dir, 'outbox.db'));
    db.exec('CREATE TABLE mine (a); PRAGMA user_version = 2');
    db.close();
    const bytes = readFileSync(join(at.dir, 'outbox.db'));
    expect(await refusal()).to.equal(`${at.dir}: expected a database of version 1 or before, got version 2`);
    const same = new DatabaseSync(join(at.dir, 'outbox.db'));
    expect(
      same
        .prepare('SELECT name FROM sqlite_master')
        .all()
        .map(({ name }) => name),
    ).to.deep.equal(['mine']);
    same.close();
    expect(bytes.byteLength).to.be.greaterThan(0);
  });

  it('refuses what is no directory, and one that cannot be written', async () => {
    const file = join(at.dir, 'file');
    writeFileSync(file, '');
    expect(await refusal({ dir: join(file, 'x') })).to.match(/expected a directory to keep events in, got: ENOTDIR/);
    // Nobody may write there, not even root.
    expect(await refusal({ dir: '/proc/self/fdinfo' })).to.match(
      /^\/proc\/self\/fdinfo: expected a directory to keep events in, got: /,
    );
  });

  it('moves a corrupt database aside, says so, and begins another', async () => {
    writeFileSync(join(at.dir, 'outbox.db'), Buffer.alloc(30_000, 0xa5));
    const outbox = await open();
    outbox.put('taskruns', [outgoing()]);
    expect(await outbox.flush()).to.equal(true);
    const aside = join(at.dir, 'outbox.db.corrupt');
    expect(at.log.lines[0]).to.deep.equal({
      level: 'error',
      fields: { movedAside: aside },
      sentence: 'the data dir was corrupt: it is moved aside, and what it held is lost',
    });
    expect(readFileSync(aside).byteLength).to.equal(30_000);
  });

  it('finds a page that was overwritten in the middle', async () => {
    const first = await open();
    first.put(
      'taskruns',
      Array.from({ length: 50 }, (_, number) => ({ ...outgoing({ bytes: 4096 }), sequence: String(number) })),
    );
    await first.close();
    const file = join(at.dir, 'outbox.db');
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 3 * 8192, 9 * 8192);
    writeFileSync(file, bytes);
    const second = await open();
    expect((await second.load()).events).to.deep.equal([]);
    expect(second.state().id).to.not.equal(first.state().id);
  });

  it('keeps events in memory while the disk is full, says it once, and goes on when there is room', async () => {
    const outbox = await open({ limitBytes: 30 * 8192, retry: { initialMs: 1, maxMs: 1 } });
    const event = (number: number) => ({ ...outgoing({ bytes: 4096 }), sequence: String(number).padStart(3, '0') });
    const [first, second] = [0, 100].map((from) => Array.from({ length: 10 }, (_, index) => event(from + index)));
    outbox.put('taskruns', first ?? []);
    expect(await outbox.flush()).to.equal(true);
    outbox.put('taskruns', second ?? []);
    const more = Array.from({ length: 30 }, (_, index) => event(200 + index));
    outbox.put('taskruns', more);
    expect(await outbox.flush()).to.equal(false);
    expect(await outbox.flush()).to.equal(false);
    expect(at.measure.gauges.get('outbox_waiting_events')).to.be.greaterThan(0);
    expect(at.measure.counts.get('outbox_write_failures_total')).to.be.at.least(2);
    expect(sentences().filter((line) => line.startsWith('error'))).to.deep.equal([
      'error: the data dir cannot be written, events stay in memory',
    ]);
    for (const one of [...(first ?? []), ...more]) outbox.settle(one);
    // The removals make room, the rest follows.
    while (!(await outbox.flush()));
    expect((await outbox.load()).events.length).to.equal(10);
    expect(sentences().at(-1)).to.equal('info: the data dir can be written again');
  });

  it('opens one that stands without a write, so that it can be read on a full disk', async () => {
    const first = await open();
    first.put('taskruns', [outgoing()]);
    await first.close();
    await open();
    expect(statSync(join(at.dir, 'outbox.db-wal'), { throwIfNoEntry: false })?.size ?? 0).to.equal(0);
  });

  it('writes everything again when the database turns out to be corrupt at work', async () => {
    const outbox = await open({ retry: { initialMs: 1, maxMs: 1 } });
    const { id } = outbox.state();
    // More than the database keeps in memory.
    const many = Array.from({ length: 600 }, (_, number) => ({ ...outgoing({ bytes: 8192 }), sequence: `0${number}` }));
    outbox.put('taskruns', many);
    outbox.tell('taskruns', known(7));
    outbox.reached('taskruns', '9');
    outbox.listed('taskruns');
    await outbox.flush();
    for (const name of ['outbox.db', 'outbox.db-wal']) {
      const file = join(at.dir, name);
      writeFileSync(file, readFileSync(file).fill(0xa5), { flag: 'r+' });
    }
    expect((await outbox.load()).events.length).to.equal(600);
    expect(await outbox.flush()).to.equal(true);
    expect(outbox.state().id).to.not.equal(id);
    expect(sentences()).to.deep.equal([
      'error: the data dir cannot be written, events stay in memory',
      'error: the data dir was corrupt: it is moved aside, and what it held is lost',
      'info: the data dir can be written again',
    ]);
    const { events, told } = await outbox.load();
    expect(events.length).to.equal(600);
    expect(told).to.deep.equal([]);
    expect(outbox.state()).to.deep.include({ marks: { taskruns: '9' }, complete: [] });
  });

  it('keeps what was given up as dead letters, up to a size', async () => {
    const outbox = await open({ deadLetterLimitBytes: 1200 });
    const events = Array.from({ length: 4 }, (_, number) => ({
      ...outgoing(),
      id: `id-${number}`,
      sequence: `0${number}`,
    }));
    outbox.put('taskruns', events);
    await outbox.flush();
    for (const event of events) outbox.bury(event, 'gave-up');
    expect((await outbox.load()).events).to.deep.equal([]);
    expect(readLetters(at.dir).events.map(({ id }) => id)).to.deep.equal(['id-0', 'id-1', 'id-2']);
    expect(at.measure.counts.get('dead_letters_total{outcome="kept"}')).to.equal(3);
    expect(at.measure.counts.get('dead_letters_total{outcome="refused"}')).to.equal(1);
    expect(sentences()).to.deep.equal(['warn: the dead letters are full, dropped events are not kept']);
  });

  it('ends the half line that a killed process left in the dead letters', async () => {
    writeFileSync(join(at.dir, 'dead-letters.jsonl'), '{"half');
    const outbox = await open();
    outbox.bury({ ...outgoing(), id: 'whole' }, 'gave-up');
    expect(await outbox.flush()).to.equal(true);
    const { events, unreadable } = readLetters(at.dir);
    expect([events.map(({ id }) => id), unreadable]).to.deep.equal([['whole'], 1]);
  });

  it('keeps the event of a dead letter until its line can be written', async () => {
    mkdirSync(join(at.dir, 'dead-letters.jsonl'));
    const outbox = await open({ retry: { initialMs: 1, maxMs: 1 } });
    const [dead, other] = [outgoing({ source: 'dead' }), outgoing({ source: 'other' })];
    outbox.put('taskruns', [dead]);
    await outbox.flush();
    outbox.bury(dead, 'gave-up');
    outbox.put('taskruns', [other]);
    expect(await outbox.flush()).to.equal(false);
    expect((await outbox.load()).events.map(({ event }) => event.name)).to.deep.equal(['dead', 'other']);
    rmSync(join(at.dir, 'dead-letters.jsonl'), { recursive: true });
    while (!(await outbox.flush()));
    expect(readLetters(at.dir).events.map(({ name }) => name)).to.deep.equal(['dead']);
    expect((await outbox.load()).events.map(({ event }) => event.name)).to.deep.equal(['other']);
  });
});
