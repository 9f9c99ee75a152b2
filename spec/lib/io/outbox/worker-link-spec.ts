import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startWorker, type WorkerLink } from '../../../../lib/io/outbox/worker-link.ts';

const messageOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'answered',
    (error: Error) => error.message,
  );

describe('startWorker', () => {
  let dir: string;
  let link: WorkerLink;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'worker-link-'));
    link = startWorker({ role: 'outbox', dir, limitBytes: undefined, deadLetterLimitBytes: 1024 });
  });
  afterEach(async () => {
    await link.end();
    rmSync(dir, { recursive: true });
  });

  it('answers one question after the other', async () => {
    const opened = await link.ask({ type: 'open' });
    expect(opened).to.deep.include({ ok: true, movedAside: undefined });
    expect(await link.ask({ type: 'told', after: 0 })).to.deep.equal({ rows: [], last: undefined });
    expect(await link.ask({ type: 'close' })).to.equal(undefined);
  });

  it('rejects the question that the worker ends in, and every later one', async () => {
    const asked = messageOf(link.ask({ type: 'open' }));
    await link.end();
    expect(await asked).to.equal('the worker of the data dir has ended');
    expect(await messageOf(link.ask({ type: 'open' }))).to.equal('the worker of the data dir has ended');
  });

  it('rejects with what the worker failed with, not with its end', async () => {
    await link.ask({ type: 'open' });
    const failed = await messageOf(link.ask({ type: 'told', after: JSON.parse('{"x":1}') }));
    expect(failed).to.match(/named parameter 'x'/);
    await link.end();
    expect(await messageOf(link.ask({ type: 'close' }))).to.equal(failed);
  });

  it('takes over what is transferred', async () => {
    await link.ask({ type: 'open' });
    const bodies = new Uint8Array(8);
    const lists = { events: [], removals: [], told: [], forgotten: [], letters: [], marks: [], complete: [] };
    const written = await link.ask({ type: 'write', forgetTold: false, bodies, ...lists }, [bodies.buffer]);
    expect(written).to.deep.equal({ ok: true, letters: { refused: 0 } });
    expect(bodies.byteLength).to.equal(0);
  });
});
