import { expect } from 'chai';
import fc from 'fast-check';
import { type DeliveryLimits, deliveryLimits } from '../../../lib/events/limits.ts';
import type { Attempt, OutgoingEvent } from '../../../lib/events/outgoing.ts';
import { DeliveryQueue } from '../../../lib/events/queue.ts';
import type { EventWord } from '../../../lib/run/step.ts';
import { outgoing } from '../../support/outgoing.ts';

const delivered: Attempt = { outcome: 'delivered', status: 204 };
const unencodable: Attempt = { outcome: 'unencodable', problem: 'the event is no valid CloudEvent' };
const day = 86_400_000;

function failed(retryAfterMs?: number): Attempt {
  return { outcome: 'failed', result: '5xx', problem: 'answered 503', retryAfterMs };
}

/** A queue whose acknowledgements and drops are remembered. `random` 1 gives every delay its full length. */
function queueWith(limits: Partial<DeliveryLimits> = {}, random = () => 1) {
  const acknowledged: OutgoingEvent[] = [];
  const dropped: string[] = [];
  const causes = new Map<OutgoingEvent, string>();
  const queue = new DeliveryQueue({
    limits: { ...deliveryLimits, ...limits },
    random,
    onAcknowledged: (event) => acknowledged.push(event),
    onDropped: (event, cause) => {
      dropped.push(`${event.id} ${cause}`);
      causes.set(event, cause);
    },
  });
  const put = (...events: readonly OutgoingEvent[]) => {
    for (const event of events) queue.put(event, 0);
  };
  return { queue, put, acknowledged, dropped, causes };
}

/** Takes what may go now. */
function takeAll(queue: DeliveryQueue, nowMs: number): OutgoingEvent[] {
  const taken: OutgoingEvent[] = [];
  for (let event = queue.take(nowMs); event !== undefined; event = queue.take(nowMs)) taken.push(event);
  return taken;
}

function take(queue: DeliveryQueue, nowMs: number): OutgoingEvent {
  const event = queue.take(nowMs);
  if (event === undefined) throw new Error(`expected an event at ${nowMs}, got none`);
  return event;
}

const ids = (events: readonly OutgoingEvent[]) => events.map(({ id }) => id);

describe('DeliveryQueue', () => {
  describe('order', () => {
    it('has one event of a source in flight, and the next only after it', () => {
      const { queue, put } = queueWith();
      put(
        outgoing({ id: 'a1', source: 'a' }),
        outgoing({ id: 'a2', source: 'a' }),
        outgoing({ id: 'b1', source: 'b' }),
      );
      const [first, ...others] = takeAll(queue, 0);
      expect([first?.id, ...ids(others)]).to.deep.equal(['a1', 'b1']);
      if (first !== undefined) queue.settle(first, delivered, 0);
      expect(ids(takeAll(queue, 0))).to.deep.equal(['a2']);
    });

    it('gives every source its turn', () => {
      const { queue, put, acknowledged } = queueWith({ maxInFlight: 1 });
      for (const source of ['a', 'b', 'c']) put(...[1, 2].map((n) => outgoing({ id: source + n, source })));
      for (let n = 0; n < 6; n += 1) queue.settle(take(queue, 0), delivered, 0);
      expect(ids(acknowledged)).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
    });

    it('has no more in flight than it may', () => {
      const { queue, put } = queueWith({ maxInFlight: 3 });
      put(...['a', 'b', 'c', 'd'].map((source) => outgoing({ source })));
      expect(takeAll(queue, 0).length).to.equal(3);
      expect(queue.nextTakeMs()).to.equal(undefined);
    });

    it('puts an event that was broken off before all others', () => {
      const { queue, put } = queueWith({ maxInFlight: 1 });
      put(outgoing({ id: 'a1', source: 'a' }), outgoing({ id: 'b1', source: 'b' }));
      queue.release(take(queue, 0));
      expect(take(queue, 0).id).to.equal('a1');
    });

    it('keeps order, bounds and count whatever happens', () => {
      const word = fc.constantFrom<EventWord>('started', 'running', 'unknown', 'successful');
      const step = fc.record({
        what: fc.constantFrom('put', 'put', 'put', 'take', 'take', 'deliver', 'fail', 'release', 'unencodable', 'wait'),
        source: fc.constantFrom('a', 'b', 'c', 'd'),
        word,
        bytes: fc.integer({ min: 2, max: 30 }),
        pick: fc.nat(),
        ms: fc.integer({ min: 0, max: 200_000 }),
      });
      fc.assert(
        fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
          const limits = { maxEvents: 6, maxBytes: 100, maxInFlight: 3, giveUpAfterMs: 900_000 };
          const { queue, acknowledged, causes } = queueWith(limits, () => 0.5);
          const put: OutgoingEvent[] = [];
          const flying: OutgoingEvent[] = [];
          const posted = new Map<string, OutgoingEvent>();
          let nowMs = 0;
          const land = (pick: number) => flying.splice(pick % Math.max(1, flying.length), 1);
          for (const { what, pick, ms, ...given } of steps) {
            if (what === 'wait') nowMs += ms;
            if (what === 'put') {
              const event = outgoing(given);
              put.push(event);
              queue.put(event, nowMs);
            }
            if (what === 'take') {
              const event = queue.take(nowMs);
              if (event !== undefined) {
                expect(flying.map(({ source }) => source)).not.to.include(event.source);
                const before = posted.get(event.source);
                // Never back to an earlier event of the source.
                if (before !== undefined) expect(put.indexOf(event)).to.be.at.least(put.indexOf(before));
                posted.set(event.source, event);
                flying.push(event);
              }
            }
            if (what === 'deliver') for (const event of land(pick)) queue.settle(event, delivered, nowMs);
            if (what === 'fail') for (const event of land(pick)) queue.settle(event, failed(), nowMs);
            if (what === 'unencodable') for (const event of land(pick)) queue.settle(event, unencodable, nowMs);
            if (what === 'release') for (const event of land(pick)) queue.release(event);
            const { length, bytes, inFlight } = queue.state;
            expect(length).to.be.at.most(limits.maxEvents);
            expect(bytes).to.be.at.most(limits.maxBytes);
            expect(inFlight).to.equal(flying.length).and.to.be.at.most(limits.maxInFlight);
            expect(length + acknowledged.length + causes.size).to.equal(put.length);
          }
          // Whatever is left gets out when the sink takes everything.
          for (const event of flying) queue.settle(event, delivered, nowMs);
          for (let turn = 0; queue.state.length > 0 && turn < 500; turn += 1) {
            nowMs = Math.max(nowMs, queue.nextTakeMs() ?? nowMs);
            for (const event of takeAll(queue, nowMs)) queue.settle(event, delivered, nowMs);
          }
          expect(queue.state).to.deep.include({ length: 0, bytes: 0, inFlight: 0, failing: 0 });
          expect(ids([...acknowledged, ...causes.keys()])).to.have.members(ids(put));
        }),
        { numRuns: 300 },
      );
    });
  });

  describe('back-off', () => {
    it('waits longer after each failure of an event, up to five minutes', () => {
      const { queue, put } = queueWith();
      put(outgoing());
      const waits: number[] = [];
      let nowMs = 0;
      for (let n = 0; n < 11; n += 1) {
        queue.settle(take(queue, nowMs), failed(), nowMs);
        const atMs = queue.nextTakeMs() ?? Number.NaN;
        expect(queue.take(atMs - 1)).to.equal(undefined);
        waits.push(atMs - nowMs);
        nowMs = atMs;
      }
      const seconds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300];
      expect(waits).to.deep.equal(seconds.map((s) => s * 1000));
    });

    it('waits anywhere between nothing and that', () => {
      const { queue, put } = queueWith({}, () => 0.25);
      put(outgoing());
      queue.settle(take(queue, 0), failed(), 0);
      expect(queue.nextTakeMs()).to.equal(250);
    });

    it('honours Retry-After, up to an hour', () => {
      for (const [asked, want] of [
        [30_000, 30_000],
        [500, 1000],
        [7_200_000, 3_600_000],
      ] as const) {
        const { queue, put } = queueWith();
        put(outgoing());
        queue.settle(take(queue, 0), failed(asked), 0);
        expect(queue.nextTakeMs()).to.equal(want);
      }
    });

    it('gives an event up after a day, and goes on with the next', () => {
      const { queue, put, dropped } = queueWith();
      put(outgoing({ id: 'old' }));
      queue.settle(take(queue, 0), failed(), 0);
      queue.put(outgoing({ id: 'new' }), 1000);
      queue.release(take(queue, day - 1));
      expect(dropped).to.deep.equal([]);
      expect(take(queue, day).id).to.equal('new');
      expect(dropped).to.deep.equal(['old gave-up']);
    });

    it('gives up an event whose last attempt comes back after the day', () => {
      const { queue, put, dropped } = queueWith();
      put(outgoing({ id: 'slow' }));
      const event = take(queue, day - 1);
      expect(queue.take(day + 1)).to.equal(undefined);
      expect(dropped).to.deep.equal([]);
      queue.settle(event, failed(), day + 2);
      expect(dropped).to.deep.equal(['slow gave-up']);
      expect(queue.state).to.deep.include({ length: 0, failing: 0 });
    });

    it('drops at once what can never be sent', () => {
      const { queue, put, dropped } = queueWith();
      put(outgoing({ id: 'bad' }), outgoing({ id: 'good' }));
      queue.settle(take(queue, 0), unencodable, 0);
      expect(dropped).to.deep.equal(['bad unencodable']);
      expect(take(queue, 0).id).to.equal('good');
    });
  });

  describe('when full', () => {
    it('drops the oldest superseded progress first, then the oldest', () => {
      const { queue, put, dropped } = queueWith({ maxEvents: 4 });
      put(
        outgoing({ id: 'a-started', source: 'a', word: 'started' }),
        outgoing({ id: 'b-running', source: 'b', word: 'running' }),
        outgoing({ id: 'a-unknown', source: 'a', word: 'unknown' }),
        outgoing({ id: 'a-running', source: 'a', word: 'running' }),
      );
      // a-unknown is superseded by a-running; b-running is older but the latest of its run.
      put(outgoing({ id: 'c1', source: 'c', word: 'started' }));
      put(outgoing({ id: 'a-failed', source: 'a', word: 'failed' }));
      put(outgoing({ id: 'd1', source: 'd', word: 'started' }));
      put(outgoing({ id: 'e1', source: 'e', word: 'started' }));
      expect(dropped).to.deep.equal([
        'a-unknown queue-full',
        'a-started queue-full',
        'a-running queue-full',
        'b-running queue-full',
      ]);
      expect(ids(takeAll(queue, 0))).to.deep.equal(['a-failed', 'c1', 'd1', 'e1']);
    });

    it('makes room in bytes too', () => {
      const { queue, put, dropped } = queueWith({ maxBytes: 100 });
      put(outgoing({ id: 'a', source: 'a', bytes: 60 }), outgoing({ id: 'b', source: 'b', bytes: 30 }));
      put(outgoing({ id: 'c', source: 'c', bytes: 80 }));
      expect(dropped).to.deep.equal(['a queue-full', 'b queue-full']);
      expect(queue.state).to.deep.include({ length: 1, bytes: 80 });
    });

    it('parts with nothing for an event that has no room in an empty queue', () => {
      const { put, dropped } = queueWith({ maxBytes: 100 });
      put(outgoing({ id: 'a' }), outgoing({ id: 'huge', bytes: 101 }));
      expect(dropped).to.deep.equal(['huge queue-full']);
    });

    it('keeps what is in flight, and drops the new event when nothing else is left', () => {
      const { queue, put, dropped } = queueWith({ maxEvents: 2 });
      put(outgoing({ id: 'a1', source: 'a' }), outgoing({ id: 'a2', source: 'a' }));
      take(queue, 0);
      put(outgoing({ id: 'b', source: 'b' }));
      takeAll(queue, 0);
      put(outgoing({ id: 'c', source: 'c' }));
      expect(dropped).to.deep.equal(['a2 queue-full', 'c queue-full']);
    });

    it('counts an event as superseded again when it comes back', () => {
      const { queue, put, dropped } = queueWith({ maxEvents: 3 });
      put(outgoing({ id: 'b', source: 'b', word: 'started' }), outgoing({ id: 'a1', source: 'a' }));
      const taken = takeAll(queue, 0);
      put(outgoing({ id: 'a2', source: 'a', word: 'failed' }));
      for (const event of taken) queue.release(event);
      put(outgoing({ id: 'c', source: 'c' }));
      expect(dropped).to.deep.equal(['a1 queue-full']);
    });
  });

  describe('circuit', () => {
    const sources = ['a', 'b', 'c', 'd'];
    /** Two sources have failed at 0: the circuit is open, the first probe due after half a second. */
    function broken(limits: Partial<DeliveryLimits> = {}, retryAfterMs?: number) {
      const all = queueWith(limits);
      all.put(...sources.map((source) => outgoing({ id: source, source })));
      for (const event of [take(all.queue, 0), take(all.queue, 0)]) all.queue.settle(event, failed(retryAfterMs), 0);
      return all;
    }

    it('opens when events of different sources fail', () => {
      const { queue } = broken();
      expect(queue.state.circuitOpen).to.equal(true);
      expect(queue.nextTakeMs()).to.equal(500);
      expect(queue.take(499)).to.equal(undefined);
    });

    it('stays closed for one event that always fails', () => {
      const { queue, put } = queueWith();
      put(outgoing({ source: 'poison' }));
      let nowMs = 0;
      for (let n = 0; n < 50; n += 1) {
        queue.settle(take(queue, nowMs), failed(), nowMs);
        nowMs = queue.nextTakeMs() ?? Number.NaN;
      }
      expect(queue.state.circuitOpen).to.equal(false);
    });

    it('stays closed for two such events once the sink has taken others meanwhile', () => {
      const { queue, put } = queueWith();
      put(outgoing({ source: 'p' }), outgoing({ source: 'q' }));
      const [p, q] = takeAll(queue, 0);
      if (p === undefined || q === undefined) throw new Error('expected two');
      const healthy = (nowMs: number) => {
        queue.put(outgoing({ source: `ok-${nowMs}` }), nowMs);
        queue.settle(take(queue, nowMs), delivered, nowMs);
      };
      queue.settle(p, failed(), 0);
      healthy(1);
      queue.settle(q, failed(), 2);
      healthy(3);
      for (const event of takeAll(queue, 5000)) queue.settle(event, failed(), 5000);
      expect(queue.state).to.deep.include({ failing: 2, circuitOpen: false });
    });

    it('opens even for suspects when nothing else comes through for long', () => {
      const { queue, put } = queueWith();
      put(outgoing({ source: 'p' }), outgoing({ source: 'q' }));
      for (const event of [take(queue, 0), take(queue, 0)]) {
        queue.settle(event, failed(), 0);
        queue.put(outgoing({ source: `ok-${event.source}` }), 0);
        queue.settle(take(queue, 0), delivered, 0);
      }
      let nowMs = 0;
      let failures = 0;
      for (; !queue.state.circuitOpen && failures < 100; failures += 1) {
        nowMs = Math.max(nowMs, queue.nextTakeMs() ?? Number.NaN);
        queue.settle(take(queue, nowMs), failed(), nowMs);
      }
      expect(failures).to.equal(20);
    });

    it('sends one probe at a time, each from another source, further and further apart', () => {
      const { queue } = broken();
      const probes: [string, number][] = [];
      for (let n = 0; n < 6; n += 1) {
        const nowMs = queue.nextTakeMs() ?? Number.NaN;
        const probe = take(queue, nowMs);
        expect(queue.take(nowMs + day / 2)).to.equal(undefined);
        expect(queue.nextTakeMs()).to.equal(undefined);
        queue.settle(probe, failed(), nowMs);
        probes.push([probe.id, nowMs]);
      }
      expect(probes).to.deep.equal([
        ['c', 500],
        ['d', 1500],
        ['a', 3500],
        ['b', 7500],
        ['c', 12_500],
        ['d', 17_500],
      ]);
    });

    it('closes with any 2xx, lets what failed go at once, and grows its pace', () => {
      const { queue } = broken();
      queue.settle(take(queue, 500), delivered, 500);
      expect(queue.state.circuitOpen).to.equal(false);
      const first = takeAll(queue, 500);
      expect(first.length).to.equal(1);
      for (const event of first) queue.settle(event, delivered, 501);
      expect(takeAll(queue, 501).length).to.equal(2);
    });

    it('closes with the answer of a post from before, and does not count the posts still hanging', () => {
      const { queue, put } = queueWith();
      put(...sources.map((source) => outgoing({ id: source, source })));
      const [a, b, c] = takeAll(queue, 0);
      if (a === undefined || b === undefined || c === undefined) throw new Error('expected four');
      queue.settle(a, failed(), 0);
      queue.settle(b, failed(), 0);
      queue.settle(c, delivered, 100);
      expect(takeAll(queue, 100).length).to.equal(1);
    });

    it('stays closed when posts from before the recovery fail late', () => {
      const { queue, put } = queueWith();
      put(...sources.map((source) => outgoing({ id: source, source })));
      const [a, b, c, d] = takeAll(queue, 0);
      if (a === undefined || b === undefined || c === undefined || d === undefined) throw new Error('expected four');
      queue.settle(a, delivered, 30_000);
      for (const late of [b, c, d]) queue.settle(late, failed(), 30_001);
      expect(queue.state).to.deep.include({ circuitOpen: false, failing: 3 });
      for (const event of [take(queue, 31_001), take(queue, 31_001)]) queue.settle(event, failed(), 31_001);
      expect(queue.state.circuitOpen).to.equal(true);
    });

    it('waits with every probe as long as all answers asked for', () => {
      const { queue } = broken({}, 30_000);
      expect(queue.nextTakeMs()).to.equal(30_000);
      const probe = take(queue, 30_000);
      expect(probe.id).to.equal('c');
      queue.settle(probe, failed(40_000), 30_000);
      expect(queue.nextTakeMs()).to.equal(70_000);
    });

    it('is not silenced by an hour asked for one event', () => {
      const { queue, put } = queueWith();
      put(...sources.map((source) => outgoing({ id: source, source })));
      queue.settle(take(queue, 0), failed(3_600_000), 0);
      queue.settle(take(queue, 0), failed(), 0);
      for (const want of ['c', 'd', 'b', 'c']) {
        const nowMs = queue.nextTakeMs() ?? Number.NaN;
        const probe = take(queue, nowMs);
        expect([probe.id, nowMs < 60_000]).to.deep.equal([want, true]);
        queue.settle(probe, failed(), nowMs);
      }
    });

    it('does not probe with an event before its own wait is over', () => {
      const { queue, put } = queueWith();
      put(outgoing({ id: 'a', source: 'a' }), outgoing({ id: 'b', source: 'b' }));
      queue.settle(take(queue, 0), failed(60_000), 0);
      queue.settle(take(queue, 0), failed(), 0);
      queue.settle(take(queue, 1000), unencodable, 1000);
      expect(queue.state).to.deep.include({ circuitOpen: true, length: 1 });
      expect(queue.nextTakeMs()).to.equal(60_000);
      expect(queue.take(59_999)).to.equal(undefined);
      expect(take(queue, 60_000).id).to.equal('a');
    });

    it('honours what was asked for one event after the sink has recovered', () => {
      const { queue, put } = queueWith();
      put(outgoing({ id: 'a', source: 'a' }), outgoing({ id: 'b', source: 'b' }), outgoing({ id: 'c', source: 'c' }));
      queue.settle(take(queue, 0), failed(60_000), 0);
      queue.settle(take(queue, 0), failed(), 0);
      queue.settle(take(queue, 500), delivered, 500);
      queue.settle(take(queue, 500), delivered, 500);
      expect(queue.take(59_999)).to.equal(undefined);
      expect(ids(takeAll(queue, 60_000))).to.deep.equal(['a']);
    });

    it('sends the same failing events off at once only twice', () => {
      const { queue } = broken();
      let nowMs = 500;
      const spent: string[][] = [];
      for (let n = 0; n < 4; n += 1) {
        while (queue.state.circuitOpen) {
          nowMs = Math.max(nowMs, queue.nextTakeMs() ?? Number.NaN);
          queue.put(outgoing({ source: `fresh-${nowMs}` }), nowMs);
          const probe = take(queue, nowMs);
          queue.settle(probe, delivered, nowMs);
        }
        const again: string[] = [];
        for (let event = queue.take(nowMs); event !== undefined; event = queue.take(nowMs)) {
          const poison = event.id === 'a' || event.id === 'b';
          if (poison) again.push(event.id);
          queue.settle(event, poison ? failed() : delivered, nowMs);
          if (queue.state.circuitOpen) break;
        }
        spent.push(again);
      }
      expect(spent.filter((again) => again.length > 0).length).to.equal(2);
    });

    it('starts over with another sink', () => {
      const { queue } = broken();
      queue.startOver();
      expect(queue.state).to.deep.include({ circuitOpen: false, failing: 0 });
      expect(takeAll(queue, 0).length).to.equal(4);
    });

    for (const retryAfterMs of [undefined, 1]) {
      for (const delayMs of [0, 5, 900]) {
        it(`asks a sink that answers only errors in ${delayMs} ms at most ten times a second, Retry-After ${retryAfterMs}`, () => {
          const { queue, put } = queueWith({}, () => 0);
          put(...Array.from({ length: 3000 }, (_, n) => outgoing({ source: `s${n % 1500}` })));
          expect(askedPerSecond(queue, failed(retryAfterMs), delayMs)).to.be.within(1, 10);
        });
      }
    }
  });

  it('drops everything that is not in flight when cleared', () => {
    const { queue, put, dropped } = queueWith();
    put(outgoing({ id: 'a1', source: 'a' }), outgoing({ id: 'a2', source: 'a' }), outgoing({ id: 'b1', source: 'b' }));
    const event = take(queue, 0);
    expect(queue.clear('sink-removed')).to.equal(2);
    expect(dropped).to.deep.equal(['a2 sink-removed', 'b1 sink-removed']);
    queue.drop(event, 'sink-removed');
    expect(dropped.at(-1)).to.equal('a1 sink-removed');
    expect(queue.state).to.deep.include({ length: 0, bytes: 0, inFlight: 0 });
  });

  it('passes over answers for events that it does not know', () => {
    const { queue, acknowledged, dropped } = queueWith();
    queue.settle(outgoing(), delivered, 0);
    queue.release(outgoing());
    queue.drop(outgoing(), 'shutdown');
    expect([acknowledged, dropped]).to.deep.equal([[], []]);
  });

  it('knows how long its oldest event has waited', () => {
    const { queue } = queueWith();
    expect(queue.state.oldestPutAtMs).to.equal(undefined);
    queue.put(outgoing({ source: 'a' }), 100);
    queue.put(outgoing({ source: 'b' }), 200);
    queue.settle(take(queue, 300), delivered, 300);
    expect(queue.state.oldestPutAtMs).to.equal(200);
  });

  for (const runs of [1, 150_000]) {
    it(`looks at each of 150,000 events of ${runs} runs a few times only`, () => {
      let looks = 0;
      const counting: ProxyHandler<OutgoingEvent> = {
        get: (target, key) => {
          looks += 1;
          return Reflect.get(target, key);
        },
      };
      const template = outgoing();
      const events = Array.from({ length: 150_000 }, (_, n) => {
        return new Proxy({ ...template, source: `s${n % runs}` }, counting);
      });
      const { queue, acknowledged } = queueWith({ maxEvents: 100_000 });
      for (const event of events) queue.put(event, 0);
      while (queue.state.length > 0) for (const event of takeAll(queue, 0)) queue.settle(event, delivered, 0);
      expect(acknowledged.length).to.equal(100_000);
      expect(looks)
        .to.be.greaterThan(0)
        .and.lessThan(150_000 * 12);
    });
  }
});

/** The greatest number of requests in any second from five seconds after the first failure on. */
function askedPerSecond(queue: DeliveryQueue, answer: Attempt, delayMs: number): number {
  const answers: { readonly atMs: number; readonly event: OutgoingEvent }[] = [];
  const askedAt: number[] = [];
  for (let nowMs = 0; nowMs < 120_000 && askedAt.length < 10_000; ) {
    for (const event of takeAll(queue, nowMs)) {
      askedAt.push(nowMs);
      answers.push({ atMs: nowMs + delayMs, event });
    }
    const nextMs = Math.min(
      answers[0]?.atMs ?? Number.POSITIVE_INFINITY,
      queue.nextTakeMs() ?? Number.POSITIVE_INFINITY,
    );
    nowMs = Math.max(nowMs, nextMs);
    while ((answers[0]?.atMs ?? Number.POSITIVE_INFINITY) <= nowMs) {
      const landed = answers.shift();
      if (landed !== undefined) queue.settle(landed.event, answer, nowMs);
    }
  }
  const later = askedAt.filter((ms) => ms >= 5000 + delayMs);
  return Math.max(...later.map((from) => later.filter((ms) => ms >= from && ms < from + 1000).length));
}
