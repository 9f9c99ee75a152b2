import { expect } from 'chai';
import type { OutgoingEvent } from '../../../lib/events/outgoing.ts';
import { bufferLimits } from '../../../lib/outbox/batch.ts';
import { eventKey } from '../../../lib/outbox/records.ts';
import { type Portion, WaitingEvents } from '../../../lib/outbox/waiting-events.ts';
import { outgoing } from '../../support/outgoing.ts';

const limits = { ...bufferLimits, batchEvents: 150 };

function filled(count: number, watch: (index: number) => string = () => 'taskruns') {
  const waiting = new WaitingEvents();
  const events = Array.from({ length: count }, (_, index) =>
    outgoing({ source: `run-${index}`, sequence: `${index}` }),
  );
  for (const [index, event] of events.entries()) {
    waiting.put({ event, putAtMs: 0, watch: watch(index), sinceMs: index });
  }
  return { waiting, events };
}

/** The numbers of the events that a batch takes. */
const taken = (waiting: WaitingEvents, portion: Portion, ended: string[] = []) =>
  [...waiting.take(portion, limits, (uid) => ended.push(uid)).values()].map(({ event }) => Number(event.sequence));
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

describe('WaitingEvents', () => {
  it('gives the oldest or the newest, in the order they were put', () => {
    expect(taken(filled(400).waiting, 'oldest')).to.deep.equal(range(0, 150));
    expect(taken(filled(400).waiting, 'newest')).to.deep.equal(range(250, 400));
  });

  it('gives what the checkpoint may list beside the mark of each watch', () => {
    const { waiting } = filled(400, (index) => (index < 395 ? 'taskruns' : 'pipelineruns'));
    expect(taken(waiting, 'beside-mark')).to.deep.equal([...range(0, 100), ...range(395, 400)]);
    expect(waiting.size).to.equal(295);
  });

  it('gives all that fit into one batch, whichever are asked for', () => {
    for (const portion of ['oldest', 'newest', 'beside-mark'] as const) {
      expect(taken(filled(150).waiting, portion)).to.deep.equal(range(0, 150));
    }
  });

  it('says how long the first waits, and that what is put back waits for ever', () => {
    const { waiting, events } = filled(2);
    expect(waiting.oldestSinceMs).to.equal(0);
    waiting.delete(eventKey(events[0] as OutgoingEvent), events[0] as OutgoingEvent);
    expect(waiting.oldestSinceMs).to.equal(1);
    const back = outgoing({ source: 'back', sequence: '9' });
    waiting.putBack([[eventKey(back), { event: back, putAtMs: 0 }]]);
    expect(waiting.oldestSinceMs).to.equal(Number.NEGATIVE_INFINITY);
    expect(taken(waiting, 'oldest')).to.deep.equal([9, 1]);
    expect(waiting.oldestSinceMs).to.equal(undefined);
  });

  it('knows the runs of which an event waits, each until its last is gone', () => {
    const waiting = new WaitingEvents();
    const [a, b] = ['1', '2'].map((sequence) => outgoing({ source: 'a', sequence })) as [OutgoingEvent, OutgoingEvent];
    for (const event of [a, b, b]) waiting.put({ event, putAtMs: 0, watch: 'taskruns', sinceMs: 0 });
    expect(waiting.size).to.equal(2);
    expect([waiting.delete(eventKey(a), a), waiting.ofRun(a.uid)]).to.deep.equal([false, true]);
    expect(waiting.delete(eventKey(a), a)).to.equal(false);
    expect([waiting.delete(eventKey(b), b), waiting.ofRun(a.uid)]).to.deep.equal([true, false]);
    waiting.putBack([[eventKey(a), { event: a, putAtMs: 0 }]]);
    const ended: string[] = [];
    taken(waiting, 'oldest', ended);
    expect([ended, waiting.ofRun(a.uid)]).to.deep.equal([[a.uid], false]);
  });
});
