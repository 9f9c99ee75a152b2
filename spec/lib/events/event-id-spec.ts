import { expect } from 'chai';
import fc from 'fast-check';
import { type EventIdentity, eventIdName } from '../../../lib/events/event-id.ts';
import type { Condition } from '../../../lib/run/condition.ts';

const condition: Condition = { status: 'Unknown', reason: 'Running', message: 'on its way', transitionTimeMs: 1000 };
const given: EventIdentity = {
  uid: 'u1',
  type: 'dev.svc.event.taskrun.running.v1',
  word: 'running',
  resourceVersion: '7',
  condition,
  previous: { ...condition, transitionTimeMs: 500 },
};

describe('eventIdName', () => {
  const differing: readonly Partial<EventIdentity>[] = [
    { uid: 'u2' },
    { type: 'dev.svc.event.taskrun.unknown.v1' },
    { condition: { ...condition, status: 'True' } },
    { condition: { ...condition, reason: 'Pending' } },
    { condition: { ...condition, message: '' } },
    { condition: { ...condition, transitionTimeMs: 1001 } },
    { condition: undefined },
  ];
  for (const change of differing) {
    it(`differs with ${JSON.stringify(change)}`, () => {
      expect(eventIdName({ ...given, ...change })).not.to.equal(eventIdName(given));
    });
  }

  const done: EventIdentity = { ...given, word: 'successful', condition: { ...condition, status: 'True' } };

  it('does not depend on the version seen while the transition time moves', () => {
    expect(eventIdName({ ...done, startedMs: 500, resourceVersion: '8' })).to.equal(eventIdName(done));
  });

  it('depends on the version when the transition time stands still', () => {
    const flapping = { ...done, previous: condition };
    expect(eventIdName({ ...flapping, resourceVersion: '8' })).not.to.equal(eventIdName(flapping));
  });

  it('is the same whether or not the condition before is known', () => {
    const within = { ...done, startedMs: 1000 };
    for (const one of [given, within]) {
      const known = { ...one, previous: condition };
      expect(eventIdName({ ...one, previous: undefined })).to.equal(eventIdName(known));
      expect(eventIdName({ ...known, resourceVersion: '8' })).not.to.equal(eventIdName(known));
    }
  });

  it('depends on the version when there is no transition time', () => {
    const timeless = { ...given, condition: { ...condition, transitionTimeMs: undefined }, previous: undefined };
    expect(eventIdName({ ...timeless, resourceVersion: '8' })).not.to.equal(eventIdName(timeless));
  });

  it('makes started of nothing but uid and type', () => {
    const started: EventIdentity = { ...given, word: 'started' };
    const later: EventIdentity = { ...started, resourceVersion: '9', condition: undefined, previous: undefined };
    expect(eventIdName(later)).to.equal(eventIdName(started));
    expect(eventIdName({ ...started, uid: 'u2' })).not.to.equal(eventIdName(started));
  });

  it('never reads two lists of parts alike', () => {
    const part = fc.string({ unit: fc.constantFrom('"', ',', '\\', 'a', '') });
    fc.assert(
      fc.property(part, part, part, part, (reason, message, otherReason, otherMessage) => {
        const name = eventIdName({ ...given, condition: { ...condition, reason, message } });
        const other = eventIdName({
          ...given,
          condition: { ...condition, reason: otherReason, message: otherMessage },
        });
        expect(name === other).to.equal(reason === otherReason && message === otherMessage);
      }),
    );
  });
});
