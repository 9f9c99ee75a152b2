import { expect } from 'chai';
import { EMPTY, map, NEVER, type Observable, of, Subject, type Subscription, throwError, timer } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { type DeliveryLimits, deliveryLimits } from '../../../lib/events/limits.ts';
import type { Attempt, OutgoingEvent } from '../../../lib/events/outgoing.ts';
import { deliver } from '../../../streams/pipelines/deliver.ts';
import type { Delivery, DeliveryNote, SinkState } from '../../../streams/pipelines/delivery.ts';
import { outgoing } from '../../support/outgoing.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { recordedMeasure } from '../../support/recorded-measure.ts';

const delivered: Attempt = { outcome: 'delivered', status: 204 };
const answers503: Attempt = { outcome: 'failed', result: '5xx', problem: 'answered 503', retryAfterMs: undefined };
const timesOut: Attempt = { outcome: 'failed', result: 'timeout', problem: 'no answer', retryAfterMs: undefined };
const toSink: SinkState = { state: 'sink', url: 'http://a/' };
const toOther: SinkState = { state: 'sink', url: 'http://b/' };
const paused: SinkState = { state: 'paused' };
const none: SinkState = { state: 'none' };

interface Given {
  /** What the sink answers; default a 204 after 10 ms. */
  readonly answer?: (event: OutgoingEvent, url: string) => Observable<Attempt>;
  readonly limits?: Partial<DeliveryLimits>;
}

/** A delivery under virtual time, with everything around it in the spec's hands. `random` 1: full delays. */
function world({ answer = () => timer(10).pipe(map(() => delivered)), limits = {} }: Given = {}) {
  const event$ = new Subject<readonly OutgoingEvent[]>();
  const sink$ = new Subject<SinkState>();
  const log = recordedLog();
  const measure = recordedMeasure();
  const posted: string[] = [];
  const aborted: string[] = [];
  const notes: string[] = [];
  const ends: unknown[] = [];
  const delivery: Delivery = deliver({
    event$,
    sink$,
    post: (event, url, signal) => {
      posted.push(`${event.id} ${url}`);
      signal.addEventListener('abort', () => aborted.push(event.id));
      return answer(event, url);
    },
    measure,
    log,
    limits: { ...deliveryLimits, ...limits },
    random: () => 1,
  });
  const say = (note: DeliveryNote) => `${note.event.id} ${note.outcome === 'dropped' ? note.cause : note.outcome}`;
  let heard = () => {};
  const onNote = (then: () => void) => {
    heard = then;
  };
  const subscription: Subscription = delivery.note$.subscribe({
    next: (note) => {
      notes.push(say(note));
      heard();
    },
    error: (error) => ends.push(error),
    complete: () => ends.push('complete'),
  });
  const put = (...sources: readonly string[]) => event$.next(sources.map((source) => outgoing({ id: source, source })));
  const lines = (level: string) => log.lines.filter((line) => line.level === level);
  return { event$, sink$, log, lines, measure, posted, aborted, notes, onNote, ends, delivery, subscription, put };
}

/** Runs in virtual time; `at` does something at a time in ms. */
function inTime(test: (at: (ms: number, act: () => void) => void) => void): () => void {
  return () => {
    const scheduler = new TestScheduler(() => {});
    scheduler.run(({ flush }) => {
      // Once more with no delay: after everything else that is due at that time.
      test((ms, act) => void scheduler.schedule(() => void scheduler.schedule(act, 0), ms));
      flush();
    });
  };
}

describe('deliver', () => {
  it(
    'posts in the same turn in which an event comes',
    inTime(() => {
      const { sink$, posted, put } = world();
      sink$.next(toSink);
      put('a');
      expect(posted).to.deep.equal(['a http://a/']);
    }),
  );

  it(
    'tells what was acknowledged, and measures it',
    inTime((at) => {
      const { sink$, notes, event$, measure, delivery } = world();
      sink$.next(toSink);
      at(2000, () => event$.next([outgoing({ id: 'a', timeMs: 500, bytes: 7 })]));
      at(2005, () => {
        delivery.refresh();
        expect(measure.gauges.get('event_queue_length')).to.equal(1);
        expect(measure.gauges.get('event_queue_bytes')).to.equal(7);
        expect(measure.gauges.get('event_deliveries_in_flight')).to.equal(1);
        expect(measure.gauges.get('event_oldest_unsent_seconds')).to.equal(0.005);
      });
      at(2010, () => {
        expect(notes).to.deep.equal(['a acknowledged']);
        expect(measure.observed.get('event_delivery_lag_seconds')).to.deep.equal([1.51]);
        expect(measure.counts.get('event_delivery_attempts_total{result="2xx"}')).to.equal(1);
        expect(measure.counts.get('event_deliveries_total')).to.equal(1);
        delivery.refresh();
        const gauges = ['event_queue_length', 'event_queue_bytes', 'event_deliveries_in_flight'] as const;
        expect(gauges.map((name) => measure.gauges.get(name))).to.deep.equal([0, 0, 0]);
        expect(measure.gauges.get('event_oldest_unsent_seconds')).to.equal(0);
        expect(delivery.state()).to.deep.include({ length: 0, inFlight: 0 });
      });
    }),
  );

  it(
    'says its limits and whether there is a sink from the start',
    inTime(() => {
      const { measure, sink$, delivery } = world({ limits: { maxEvents: 9, maxBytes: 99 } });
      const configuredAfter = (sink: SinkState) => {
        sink$.next(sink);
        delivery.refresh();
        return measure.gauges.get('event_sink_configured');
      };
      expect(measure.gauges.get('event_queue_limit')).to.equal(9);
      expect(measure.gauges.get('event_queue_limit_bytes')).to.equal(99);
      expect(measure.gauges.get('event_sink_configured')).to.equal(0);
      expect(configuredAfter(toSink)).to.equal(1);
      expect(configuredAfter(paused)).to.equal(1);
      expect(configuredAfter(none)).to.equal(0);
    }),
  );

  it(
    'forgets what waits when it is unsubscribed, and reads as though it had never been',
    inTime((at) => {
      const { sink$, put, delivery, measure, subscription } = world({ answer: () => NEVER });
      sink$.next(toSink);
      put('a', 'b', 'b');
      const drained: number[] = [];
      at(500, () => {
        delivery.refresh();
        subscription.unsubscribe();
      });
      at(5000, () => {
        delivery.refresh();
        for (const name of ['queue_length', 'queue_bytes', 'oldest_unsent_seconds', 'deliveries_in_flight'])
          expect(measure.gauges.get(`event_${name}`), name).to.equal(0);
        expect(delivery.state()).to.deep.include({ length: 0, inFlight: 0 });
        delivery.drain(3000).subscribe((left) => drained.push(left));
        expect(drained).to.deep.equal([0]);
      });
    }),
  );

  it(
    'shows no open circuit after it was unsubscribed, and ends a drain that was under way',
    inTime((at) => {
      const { sink$, put, delivery, measure, subscription } = world({
        answer: () => timer(10).pipe(map(() => answers503)),
      });
      sink$.next(toSink);
      put('a', 'b', 'c', 'd');
      const drained: number[] = [];
      at(500, () => {
        put('e');
        delivery.refresh();
        expect(measure.gauges.get('event_sink_circuit_open')).to.equal(1);
        subscription.unsubscribe();
        expect(measure.gauges.get('event_sink_circuit_open')).to.equal(0);
      });
      const second = world({ answer: () => NEVER });
      at(1000, () => {
        second.sink$.next(toSink);
        second.put('a');
        second.delivery.drain(3000).subscribe((left) => drained.push(left));
        expect(drained).to.deep.equal([]);
        second.subscription.unsubscribe();
        expect(drained).to.deep.equal([0]);
      });
    }),
  );

  it(
    'posts no more than it may at once, and goes on as answers come',
    inTime((at) => {
      const { sink$, posted, put, notes } = world({ limits: { maxInFlight: 2 } });
      sink$.next(toSink);
      put('a', 'b', 'c');
      expect(posted.length).to.equal(2);
      at(10, () => expect(posted.length).to.equal(3));
      at(20, () => expect(notes.length).to.equal(3));
    }),
  );

  it(
    'takes an answer that comes at once',
    inTime(() => {
      const { sink$, put, notes } = world({ answer: () => of(delivered), limits: { maxInFlight: 1 } });
      sink$.next(toSink);
      put('a', 'b', 'c');
      expect(notes).to.deep.equal(['a acknowledged', 'b acknowledged', 'c acknowledged']);
    }),
  );

  it(
    'retries after a wait, and has no timer when nothing waits',
    inTime((at) => {
      let answer: Attempt = answers503;
      const { sink$, posted, put, notes, delivery } = world({ answer: () => of(answer) });
      sink$.next(toSink);
      put('a');
      at(999, () => expect(posted.length).to.equal(1));
      at(1000, () => expect(posted.length).to.equal(2));
      at(2999, () => {
        expect(posted.length).to.equal(2);
        answer = delivered;
      });
      at(3000, () => expect(notes).to.deep.equal(['a acknowledged']));
      at(9000, () => {
        expect(posted.length).to.equal(3);
        expect(delivery.state().failing).to.equal(0);
      });
    }),
  );

  for (const [what, post$] of [
    ['rejects', throwError(() => new Error('a bug'))],
    ['ends without an answer', EMPTY],
  ] as const) {
    it(
      `takes a post that ${what} for a failure`,
      inTime((at) => {
        const { sink$, posted, put, measure } = world({ answer: () => post$ });
        sink$.next(toSink);
        put('a');
        at(999, () => {
          expect(posted.length).to.equal(1);
          expect(measure.counts.get('event_delivery_attempts_total{result="broken"}')).to.equal(1);
        });
      }),
    );
  }

  it(
    'drops what can never be sent, and says so',
    inTime(() => {
      const { sink$, put, notes, measure, lines } = world({
        answer: () => of({ outcome: 'unencodable', problem: 'no CloudEvent' }),
      });
      sink$.next(toSink);
      put('a');
      expect(notes).to.deep.equal(['a unencodable']);
      expect(measure.counts.get('event_drops_total{cause="unencodable"}')).to.equal(1);
      expect(lines('warn').map(({ sentence }) => sentence)).to.deep.equal(['an event was dropped']);
    }),
  );

  describe('the sink', () => {
    it(
      'is waited for',
      inTime(() => {
        const { sink$, posted, put } = world();
        put('a');
        expect(posted).to.deep.equal([]);
        sink$.next(toSink);
        expect(posted).to.deep.equal(['a http://a/']);
      }),
    );

    it(
      'that pauses gets nothing, and what comes waits',
      inTime((at) => {
        const { sink$, posted, put, notes } = world();
        sink$.next(toSink);
        put('a');
        sink$.next(paused);
        put('b');
        at(5000, () => {
          expect(posted).to.deep.equal(['a http://a/']);
          expect(notes).to.deep.equal(['a acknowledged']);
          sink$.next(toSink);
          expect(posted.at(-1)).to.equal('b http://a/');
        });
      }),
    );

    it(
      'that pauses and comes back keeps its back-off',
      inTime((at) => {
        const { sink$, posted, put } = world({ answer: () => of(answers503) });
        sink$.next(toSink);
        put('a');
        at(100, () => sink$.next(paused));
        at(200, () => sink$.next(toSink));
        at(999, () => expect(posted.length).to.equal(1));
        at(1000, () => expect(posted.length).to.equal(2));
      }),
    );

    it(
      'that is removed takes the backlog with it, counted and said once',
      inTime((at) => {
        const { sink$, put, notes, measure, lines, posted, aborted } = world({
          answer: () => NEVER,
          limits: { maxInFlight: 1 },
        });
        sink$.next(toSink);
        put('a', 'b', 'c');
        sink$.next(none);
        expect(notes).to.deep.equal(['b sink-removed', 'c sink-removed']);
        at(999, () => expect(aborted).to.deep.equal([]));
        at(1000, () => {
          expect(aborted).to.deep.equal(['a']);
          expect(notes.at(-1)).to.equal('a sink-removed');
          expect(measure.counts.get('event_drops_total{cause="sink-removed"}')).to.equal(3);
          expect(lines('info').map(({ fields }) => fields)).to.deep.equal([{ dropped: 2 }]);
          expect(posted.length).to.equal(1);
        });
      }),
    );

    it(
      'that is removed still acknowledges what was on its way',
      inTime((at) => {
        const { sink$, put, notes } = world();
        sink$.next(toSink);
        put('a');
        sink$.next(none);
        at(10, () => expect(notes).to.deep.equal(['a acknowledged']));
      }),
    );

    it(
      'that is set does not get what came while there was none',
      inTime(() => {
        const { sink$, put, notes, posted } = world();
        sink$.next(none);
        put('a');
        sink$.next(toSink);
        put('b');
        expect(notes).to.deep.equal(['a not-queued']);
        expect(posted).to.deep.equal(['b http://a/']);
      }),
    );

    it(
      'that changes gets the backlog, at once and without the back-off of the other',
      inTime((at) => {
        const { sink$, put, posted, notes } = world({
          answer: (_, url) => of(url === 'http://a/' ? answers503 : delivered),
        });
        sink$.next(toSink);
        put('a', 'b', 'c');
        at(100, () => {
          sink$.next(toOther);
          expect(notes).to.deep.equal(['c acknowledged', 'a acknowledged', 'b acknowledged']);
          expect(posted.slice(2)).to.deep.equal(['c http://b/', 'a http://b/', 'b http://b/']);
        });
      }),
    );

    it(
      'that changes gets what the old one has not answered in a second',
      inTime((at) => {
        const { sink$, put, posted, aborted, notes } = world({
          answer: (_, url) => (url === 'http://a/' ? NEVER : of(delivered)),
        });
        sink$.next(toSink);
        put('a');
        sink$.next(toOther);
        put('b');
        at(999, () => expect(notes).to.deep.equal(['b acknowledged']));
        at(1000, () => {
          expect(aborted).to.deep.equal(['a']);
          expect(posted.at(-1)).to.equal('a http://b/');
          expect(notes.at(-1)).to.equal('a acknowledged');
        });
      }),
    );

    it(
      'that changes does not inherit the failures of the old',
      inTime((at) => {
        const { sink$, put, posted, measure } = world({
          answer: (_, url) => (url === 'http://a/' ? timer(50).pipe(map(() => answers503)) : of(delivered)),
        });
        sink$.next(toSink);
        put('a', 'b');
        at(10, () => sink$.next(toOther));
        at(50, () => {
          expect(posted.slice(2)).to.deep.equal(['a http://b/', 'b http://b/']);
          expect(measure.counts.get('event_delivery_attempts_total{result="5xx"}')).to.equal(undefined);
        });
      }),
    );
  });

  describe('the log', () => {
    it(
      'warns once of each trouble, and says when it is over and how many waited',
      inTime((at) => {
        let answer: Attempt = answers503;
        const { sink$, put, lines, measure, delivery } = world({ answer: () => of(answer) });
        sink$.next(toSink);
        put('a', 'b', 'c');
        delivery.refresh();
        expect(measure.gauges.get('event_sink_circuit_open')).to.equal(1);
        at(600, () => {
          expect(lines('warn').map(({ fields }) => fields.problem)).to.deep.equal(['answered 503']);
          expect(lines('debug').length).to.equal(2);
          answer = timesOut;
        });
        at(1600, () => {
          expect(lines('warn').map(({ fields }) => fields.problem)).to.deep.equal(['answered 503', 'no answer']);
          expect(lines('info')).to.deep.equal([]);
          answer = delivered;
        });
        at(20_000, () => {
          expect(lines('info').map(({ sentence, fields }) => [sentence, fields])).to.deep.equal([
            ['the sink takes events again', { waited: 3 }],
          ]);
          delivery.refresh();
          expect(measure.gauges.get('event_sink_circuit_open')).to.equal(0);
          answer = answers503;
          put('d');
          expect(lines('warn').length).to.equal(3);
        });
      }),
    );

    it(
      'does not take the success of others for the recovery of one event',
      inTime((at) => {
        const { sink$, put, lines } = world({ answer: ({ id }) => of(id === 'poison' ? answers503 : delivered) });
        sink$.next(toSink);
        put('poison');
        for (let ms = 100; ms < 8000; ms += 100) at(ms, () => put(`ok-${ms}`));
        at(8000, () => {
          expect(lines('warn').length).to.equal(1);
          expect(lines('info')).to.deep.equal([]);
        });
      }),
    );

    it(
      'never holds the URL',
      inTime(() => {
        const { sink$, put, log } = world({ answer: () => of(answers503) });
        sink$.next({ state: 'sink', url: 'http://user:secret@sink.example/' });
        put('a', 'b');
        sink$.next(none);
        expect(JSON.stringify(log.lines)).not.to.match(/secret|sink\.example/);
        expect(log.lines.length).to.be.greaterThan(2);
      }),
    );

    it(
      'says that an event was given up',
      inTime((at) => {
        const { sink$, put, notes, lines } = world({ answer: () => of(answers503), limits: { giveUpAfterMs: 5000 } });
        sink$.next(toSink);
        put('a');
        at(7000, () => {
          expect(notes).to.deep.equal(['a gave-up']);
          expect(lines('warn').at(-1)).to.deep.include({ sentence: 'an event was dropped' });
        });
      }),
    );

    it(
      'warns once while the queue overflows, and again after it was empty',
      inTime((at) => {
        const { sink$, put, lines, notes } = world({ limits: { maxEvents: 1, maxInFlight: 1 } });
        put('a', 'b', 'c');
        expect(notes).to.deep.equal(['a queue-full', 'b queue-full']);
        expect([lines('warn').length, lines('debug').length]).to.deep.equal([1, 1]);
        sink$.next(toSink);
        at(20, () => {
          put('d', 'e');
          expect(lines('warn').length).to.equal(2);
        });
      }),
    );
  });

  describe('at the end', () => {
    it(
      'completes once its events have ended and none waits',
      inTime((at) => {
        const { sink$, put, event$, ends } = world();
        sink$.next(toSink);
        put('a');
        event$.complete();
        at(9, () => expect(ends).to.deep.equal([]));
        at(10, () => expect(ends).to.deep.equal(['complete']));
      }),
    );

    it(
      'passes an error of either source on',
      inTime(() => {
        for (const source of ['event$', 'sink$'] as const) {
          const given = world();
          const error = new Error('lost');
          given[source].error(error);
          expect(given.ends).to.deep.equal([error]);
        }
      }),
    );

    it(
      'breaks off what is in flight when unsubscribed, and starts nothing more',
      inTime((at) => {
        const { sink$, put, aborted, notes, posted, subscription, event$ } = world({ limits: { maxInFlight: 1 } });
        sink$.next(toSink);
        put('a', 'b');
        subscription.unsubscribe();
        expect(aborted).to.deep.equal(['a']);
        expect([event$.observed, sink$.observed]).to.deep.equal([false, false]);
        at(60_000, () => expect([posted.length, notes]).to.deep.equal([1, []]));
      }),
    );

    it(
      'starts nothing more when unsubscribed by whoever hears of an acknowledgement',
      inTime((at) => {
        const { sink$, put, posted, onNote, subscription } = world({ limits: { maxInFlight: 1 } });
        onNote(() => subscription.unsubscribe());
        sink$.next(toSink);
        put('a', 'b', 'c');
        at(60_000, () => expect(posted.length).to.equal(1));
      }),
    );

    it(
      'drains: gives the sink what it takes, and ends as soon as nothing is left',
      inTime((at) => {
        const { sink$, put, delivery, posted } = world({ limits: { maxInFlight: 1 } });
        const left: number[] = [];
        sink$.next(toSink);
        put('a', 'b', 'c');
        delivery.drain(8000).subscribe((count) => left.push(count));
        at(29, () => expect(left).to.deep.equal([]));
        at(30, () => {
          expect(left).to.deep.equal([0]);
          expect(posted.length).to.equal(3);
        });
      }),
    );

    it(
      'does not wait for a sink that hangs longer than it may, and settles nothing of it',
      inTime((at) => {
        const { sink$, put, delivery, aborted, notes, measure, lines } = world({ answer: () => NEVER });
        const left: number[] = [];
        sink$.next(toSink);
        put('a', 'b');
        delivery.drain(8000).subscribe((count) => left.push(count));
        at(7999, () => expect(left).to.deep.equal([]));
        at(8000, () => {
          expect(left).to.deep.equal([2]);
          expect(aborted).to.deep.equal(['a', 'b']);
          expect(notes).to.deep.equal([]);
          expect(measure.counts.get('event_drops_total{cause="shutdown"}')).to.equal(2);
          expect(lines('warn').at(-1)?.fields).to.deep.equal({ left: 2 });
        });
      }),
    );

    it(
      'does not wait for a back-off while it drains',
      inTime((at) => {
        const { sink$, put, delivery } = world({ answer: () => of(answers503) });
        const left: number[] = [];
        sink$.next(toSink);
        put('a', 'b');
        at(10, () => {
          delivery.drain(8000).subscribe((count) => left.push(count));
          expect(left).to.deep.equal([2]);
        });
      }),
    );

    it(
      'takes nothing any more after it has drained',
      inTime(() => {
        const { sink$, put, delivery, posted, measure } = world();
        sink$.next(paused);
        delivery.drain(8000).subscribe();
        sink$.next(toSink);
        put('a');
        expect(posted).to.deep.equal([]);
        expect(measure.counts.get('event_drops_total{cause="shutdown"}')).to.equal(1);
      }),
    );
  });
});
