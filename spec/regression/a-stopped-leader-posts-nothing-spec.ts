import { expect } from 'chai';
import { map, Subject, timer } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { silentLog } from '../../lib/log.ts';
import { deliver } from '../../streams/pipelines/deliver.ts';
import type { SinkState } from '../../streams/pipelines/delivery.ts';
import { outgoing } from '../support/outgoing.ts';
import { recordedMeasure } from '../support/recorded-measure.ts';

const toSink: SinkState = { state: 'sink', url: 'http://a/' };

/** A delivery whose posts take 10 ms, under virtual time, and the leave that it asks for. */
function world() {
  const event$ = new Subject<readonly ReturnType<typeof outgoing>[]>();
  const sink$ = new Subject<SinkState>();
  const posted: string[] = [];
  const aborted: string[] = [];
  const notes: string[] = [];
  const leave = { given: true };
  const { note$ } = deliver({
    event$,
    sink$,
    post: ({ id }, _, signal) => {
      posted.push(id);
      signal.addEventListener('abort', () => aborted.push(id));
      return timer(10).pipe(map(() => ({ outcome: 'delivered', status: 204 }) as const));
    },
    mayPost: () => leave.given,
    measure: recordedMeasure(),
    log: silentLog,
  });
  note$.subscribe(({ event, outcome }) => notes.push(`${event.id} ${outcome}`));
  const put = (...ids: readonly string[]) => event$.next(ids.map((id) => outgoing({ id, source: 'same' })));
  return { sink$, posted, aborted, notes, leave, put };
}

function inTime(test: (at: (ms: number, act: () => void) => void) => void): () => void {
  return () => {
    const scheduler = new TestScheduler(() => {});
    scheduler.run(({ flush }) => {
      test((ms, act) => void scheduler.schedule(() => void scheduler.schedule(act, 0), ms));
      flush();
    });
  };
}

describe('a leader that was stopped and goes on', () => {
  it(
    'posts nothing after an answer that came meanwhile, until it may again',
    inTime((at) => {
      const { sink$, posted, leave, put } = world();
      sink$.next(toSink);
      put('first', 'second');
      leave.given = false;
      at(60, () => expect(posted).to.deep.equal(['first']));
      at(60, () => {
        leave.given = true;
      });
      at(120, () => expect(posted).to.deep.equal(['first', 'second']));
    }),
  );

  it(
    'breaks off what is in flight when it has lapsed, and posts that first when it leads again',
    inTime((at) => {
      const { sink$, posted, aborted, notes, put } = world();
      sink$.next(toSink);
      put('first', 'second');
      at(5, () => sink$.next({ state: 'paused', breakOff: true }));
      at(50, () => {
        expect(aborted).to.deep.equal(['first']);
        expect(notes).to.deep.equal([]);
        sink$.next(toSink);
      });
      at(90, () => {
        expect(posted).to.deep.equal(['first', 'first', 'second']);
        expect(notes).to.deep.equal(['first acknowledged', 'second acknowledged']);
      });
    }),
  );

  it(
    'lets what is in flight end as it would in a pause of any other kind',
    inTime((at) => {
      const { sink$, aborted, notes, put } = world();
      sink$.next(toSink);
      put('first', 'second');
      at(5, () => sink$.next({ state: 'paused' }));
      at(50, () => {
        expect(aborted).to.deep.equal([]);
        expect(notes).to.deep.equal(['first acknowledged']);
      });
    }),
  );
});
