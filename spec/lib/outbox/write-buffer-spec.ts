import { expect } from 'chai';
import type { OutgoingEvent } from '../../../lib/events/outgoing.ts';
import { type Batch, bufferLimits } from '../../../lib/outbox/batch.ts';
import { eventKey, type ToldRecord } from '../../../lib/outbox/records.ts';
import type { Portion } from '../../../lib/outbox/waiting-events.ts';
import { WriteBuffer } from '../../../lib/outbox/write-buffer.ts';
import { outgoing } from '../../support/outgoing.ts';

const event = (name: string, bytes = 2): OutgoingEvent => outgoing({ source: name, bytes });
const told = (uid: string, countedAt: string | null = null): ToldRecord => ({
  uid,
  watch: 'taskruns',
  told: 1,
  countedAt,
  run: '{}',
});
const names = (batch: Batch | undefined) => [...(batch?.events.values() ?? [])].map(({ event }) => event.name);

const put = (buffer: WriteBuffer, events: readonly OutgoingEvent[], atMs: number) =>
  buffer.put('taskruns', events, { putAtMs: atMs, sinceMs: atMs });

/** Takes the next batch, which must be there. */
function take(buffer: WriteBuffer, portion?: Portion): Batch {
  const batch = buffer.take(portion);
  if (batch === undefined) throw new Error('expected something to write');
  return batch;
}

describe('WriteBuffer', () => {
  it('has nothing to write at first, and after everything is committed', () => {
    const buffer = new WriteBuffer();
    expect(buffer.take()).to.equal(undefined);
    put(buffer, [event('a')], 1);
    buffer.committed(take(buffer));
    expect(buffer.take()).to.equal(undefined);
    expect([buffer.waitingEvents, buffer.keptEvents]).to.deep.equal([0, 1]);
  });

  it('writes one batch at a time, and then what has gathered', () => {
    const buffer = new WriteBuffer();
    put(buffer, [event('a')], 1);
    const first = take(buffer);
    put(buffer, [event('b'), event('c')], 2);
    expect(buffer.take()).to.equal(undefined);
    expect(buffer.waitingEvents).to.equal(3);
    buffer.committed(first);
    expect(names(buffer.take())).to.deep.equal(['b', 'c']);
  });

  it('never writes an event that was settled first', () => {
    const buffer = new WriteBuffer();
    const a = event('a');
    put(buffer, [a], 1);
    buffer.settle(a);
    expect(buffer.take()).to.equal(undefined);
  });

  it('removes an event that was settled on its way to the disk or on it', () => {
    const buffer = new WriteBuffer();
    const [a, b] = [event('a'), event('b')];
    put(buffer, [a, b], 1);
    const first = take(buffer);
    buffer.settle(a);
    buffer.committed(first);
    expect(buffer.keptEvents).to.equal(1);
    buffer.settle(b);
    expect([...take(buffer).removals]).to.deep.equal([eventKey(a), eventKey(b)]);
  });

  it('keeps batches small, and takes one large event all the same', () => {
    const buffer = new WriteBuffer({ ...bufferLimits, batchEvents: 2, batchBytes: 10, batchTold: 1 });
    put(buffer, [event('a'), event('b'), event('c', 50), event('d')], 1);
    buffer.tell(told('u1'));
    buffer.tell(told('u2'));
    buffer.reached('taskruns', '9');
    buffer.listed('taskruns');
    const first = take(buffer);
    expect([names(first), [...first.told.keys()]]).to.deep.equal([['a', 'b'], ['u1']]);
    expect([first.marks.size, first.complete.size]).to.deep.equal([0, 0]);
    buffer.committed(first);
    const second = take(buffer);
    expect([names(second), [...second.told.keys()]]).to.deep.equal([['c'], ['u2']]);
    // All that was told is there, one event is not.
    expect([second.marks.size, [...second.complete]]).to.deep.equal([0, ['taskruns']]);
    buffer.committed(second);
    expect([...take(buffer).marks]).to.deep.equal([['taskruns', '9']]);
  });

  it('never writes what was told of a run before its events', () => {
    const buffer = new WriteBuffer({ ...bufferLimits, batchEvents: 1 });
    const [a, b] = ['1', '2'].map((sequence) => ({ ...event('a'), sequence }));
    const { uid } = a as OutgoingEvent;
    const other = event('other');
    put(buffer, [a, b, other] as OutgoingEvent[], 1);
    buffer.tell(told(uid));
    buffer.forget(other.uid);
    buffer.tell(told('free'));
    const first = take(buffer);
    expect([names(first), [...first.told.keys()]]).to.deep.equal([['a'], ['free']]);
    buffer.committed(first);
    const second = take(buffer);
    expect([...second.told.keys()]).to.deep.equal([uid]);
    buffer.failed(second, true);
    // The batch that comes back is the first that is tried again, and its rows with it.
    const again = take(buffer, 'newest');
    expect([names(again), [...again.told.keys()]]).to.deep.equal([['other'], [other.uid]]);
    buffer.committed(again);
    buffer.settle(b as OutgoingEvent);
    expect([...take(buffer).told.keys()]).to.deep.equal([uid]);
  });

  it('holds what is told of a run while a batch with its event fails', () => {
    const buffer = new WriteBuffer({ ...bufferLimits, batchEvents: 1 });
    const [a, b] = [event('a'), event('b')];
    put(buffer, [a, b], 1);
    const first = take(buffer);
    buffer.tell(told(a.uid));
    buffer.failed(first, true);
    const second = take(buffer, 'newest');
    expect([names(second), [...second.told.keys()]]).to.deep.equal([['b'], []]);
  });

  it('says what waits, since when, and how much was settled since', () => {
    const buffer = new WriteBuffer();
    const [a, b] = [event('a'), event('b')];
    put(buffer, [a], 5);
    put(buffer, [b], 7);
    buffer.settle(a);
    expect(buffer.waiting(10, { settled: 0, atMs: 2 })).to.deep.equal({
      events: 1,
      oldestMs: 3,
      settled: 1,
      overMs: 8,
    });
    buffer.settle(b);
    const none = { events: 0, oldestMs: 0, settled: 0, overMs: 1 };
    expect(buffer.waiting(10, { settled: buffer.settled, atMs: 9 })).to.deep.equal(none);
  });

  it('writes a failed batch again, before what came meanwhile and without what was settled', () => {
    const buffer = new WriteBuffer();
    const [a, b, c] = [event('a'), event('b'), event('c')];
    put(buffer, [a, b], 1);
    buffer.tell(told('u1'));
    buffer.tell(told('u2'));
    buffer.reached('taskruns', '8');
    buffer.listed('taskruns');
    const first = take(buffer);
    buffer.settle(a);
    put(buffer, [c], 2);
    buffer.forget('u1');
    buffer.reached('taskruns', '9');
    buffer.failed(first, false);
    const second = take(buffer);
    expect(names(second)).to.deep.equal(['b', 'c']);
    expect([...second.told]).to.deep.equal([
      ['u1', undefined],
      ['u2', told('u2')],
    ]);
    expect([[...second.marks], [...second.complete]]).to.deep.equal([[['taskruns', '9']], ['taskruns']]);
  });

  it('removes again what a failed batch did not remove', () => {
    const buffer = new WriteBuffer();
    const a = event('a');
    put(buffer, [a], 1);
    buffer.committed(take(buffer));
    buffer.settle(a);
    buffer.failed(take(buffer), false);
    const again = take(buffer);
    expect([...again.removals]).to.deep.equal([eventKey(a)]);
    buffer.failed(again, true);
    expect(buffer.take()).to.equal(undefined);
  });

  it('forgets what is told, also that of a batch that fails', () => {
    const buffer = new WriteBuffer();
    buffer.tell(told('u1'));
    const first = take(buffer);
    buffer.forgetTold();
    buffer.tell(told('u2'));
    buffer.failed(first, false);
    const second = take(buffer);
    expect([second.forgetTold, [...second.told.keys()]]).to.deep.equal([true, ['u2']]);
    buffer.failed(second, false);
    expect(take(buffer).forgetTold).to.equal(true);
  });

  it('keeps the first version at which a run was counted', () => {
    const buffer = new WriteBuffer();
    buffer.tell(told('u1', '7'));
    buffer.tell(told('u1', '9'));
    expect(take(buffer).told.get('u1')?.countedAt).to.equal('7');
  });

  it('gives what was told up when too many runs wait, until a new term', () => {
    const buffer = new WriteBuffer({ ...bufferLimits, waitingTold: 2 });
    expect([buffer.tell(told('u1')), buffer.tell(told('u2')), buffer.tell(told('u3'))]).to.deep.equal([
      true,
      true,
      false,
    ]);
    expect(buffer.tell(told('u4'))).to.equal(true);
    buffer.listed('taskruns');
    const batch = take(buffer);
    expect([batch.forgetTold, batch.told.size, batch.complete.size]).to.deep.equal([true, 0, 0]);
    buffer.committed(batch);
    buffer.resume([]);
    buffer.tell(told('u5'));
    expect([...take(buffer).told.keys()]).to.deep.equal(['u5']);
  });

  it('refuses dead letters past their limit, and writes again those that were not written', () => {
    const buffer = new WriteBuffer({ ...bufferLimits, waitingLetters: 1 });
    const letter = { event: event('a'), line: '{}' };
    expect([buffer.bury(letter), buffer.bury(letter)]).to.deep.equal([true, false]);
    const first = take(buffer);
    buffer.failed(first, false);
    buffer.unburied(first);
    expect(take(buffer).letters).to.deep.equal([letter]);
  });

  it('writes everything again into another database', () => {
    const buffer = new WriteBuffer();
    const [a, b] = [event('a'), event('b')];
    put(buffer, [a], 1);
    buffer.tell(told('u1'));
    buffer.reached('taskruns', '9');
    buffer.committed(take(buffer));
    put(buffer, [b], 2);
    buffer.startOver();
    expect(buffer.unsettled().map(({ event }) => event.name)).to.deep.equal(['a', 'b']);
    const batch = take(buffer);
    expect([names(batch), [...batch.marks], batch.told.size]).to.deep.equal([['a', 'b'], [['taskruns', '9']], 0]);
  });

  it('begins a term with what stands on disk but is not settled, and what still waits', () => {
    const buffer = new WriteBuffer();
    const [a, b, c] = [event('a'), event('b'), event('c')];
    put(buffer, [a, b], 1);
    buffer.committed(take(buffer));
    buffer.settle(a);
    put(buffer, [c], 2);
    const onDisk = [a, b].map((event) => ({ event, putAtMs: 1 }));
    expect(buffer.resume(onDisk).map(({ event }) => event.name)).to.deep.equal(['b', 'c']);
    expect(buffer.keptEvents).to.equal(1);
  });
});
