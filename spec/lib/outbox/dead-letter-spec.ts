import { expect } from 'chai';
import fc from 'fast-check';
import { outgoingEvents } from '../../../lib/events/cloud-event.ts';
import { deadLetterLine, readDeadLetter } from '../../../lib/outbox/dead-letter.ts';
import { deservesLetter } from '../../../lib/outbox/deserves-letter.ts';
import { letterFilter } from '../../../lib/outbox/letter-filter.ts';
import { observe } from '../../../lib/run/observe.ts';
import { outgoing } from '../../support/outgoing.ts';
import { observed, svc, typeOf } from '../../support/runs.ts';

/** The event of a run that failed with this message. */
function failed(message: string, synthesized = false) {
  const { step } = observe(undefined, observed({ version: 7, condition: `False/Failed/${message}` }), svc.behaviour);
  const options = { profile: svc, resourceType: typeOf('TaskRun'), uuid5: (name: string) => name, synthesized };
  const [event] = outgoingEvents(step, options);
  if (event === undefined) throw new Error('expected an event');
  return event;
}

describe('dead letters', () => {
  it('are structured CloudEvents in one line', () => {
    const line = deadLetterLine(failed('two\nlines'), 'gave-up', 0);
    expect(line).to.not.contain('\n');
    expect(JSON.parse(line)).to.deep.nested.include({
      specversion: '1.0',
      type: 'dev.svc.event.taskrun.failed.v1',
      source: '/apis/svc.dev/v1/namespaces/ci/taskruns/build-1',
      datacontenttype: 'application/json',
      sequence: '00000000000000000007.0',
      dropcause: 'gave-up',
      droptime: '1970-01-01T00:00:00.000Z',
      'data.taskRun.metadata.uid': 'u1',
    });
  });

  it('read back as the event that they were, to the byte', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes('/')),
        fc.boolean(),
        (message, synthesized) => {
          const event = failed(message, synthesized);
          expect(readDeadLetter(deadLetterLine(event, 'gave-up', 0))).to.deep.equal(event);
          const traced = { ...event, traceparent: '00-1-2-01' };
          expect(readDeadLetter(deadLetterLine(traced, 'gave-up', 0))).to.deep.equal(traced);
        },
      ),
    );
  });

  const wrong = [
    { what: 'no JSON', line: '{"id":' },
    { what: 'no object', line: '7' },
    { what: 'another source', line: deadLetterLine({ ...failed('x'), source: '/else' }, 'gave-up', 0) },
    {
      what: 'a kind that is none',
      line: deadLetterLine({ ...failed('x'), source: '/apis/g/v1/namespaces/a/pods/b' }, 'gave-up', 0),
    },
    { what: 'another type', line: deadLetterLine({ ...failed('x'), type: 'a.b.c' }, 'gave-up', 0) },
    { what: 'no id', line: deadLetterLine({ ...failed('x'), id: '' }, 'gave-up', 0) },
    { what: 'no data', line: deadLetterLine(failed('x'), 'gave-up', 0).replace(/"data":.*$/, '"data":7}') },
    { what: 'no time', line: deadLetterLine(failed('x'), 'gave-up', 0).replace(/"time":"[^"]*"/, '"time":"soon"') },
  ];
  for (const { what, line } of wrong) {
    it(`are not made of ${what}`, () => {
      expect(readDeadLetter(line)).to.equal(undefined);
    });
  }

  it('are kept of what was given up and of what a full queue cannot hold, but for mere progress', () => {
    const kept = (word: 'running' | 'failed', cause: Parameters<typeof deservesLetter>[1]) =>
      deservesLetter(outgoing({ word }), cause);
    expect([kept('running', 'gave-up'), kept('failed', 'gave-up'), kept('failed', 'queue-full')]).to.deep.equal([
      true,
      true,
      true,
    ]);
    expect([
      kept('running', 'queue-full'),
      kept('failed', 'sink-removed'),
      kept('failed', 'unencodable'),
    ]).to.deep.equal([false, false, false]);
  });

  const all = { sinceMs: undefined, untilMs: undefined, type: undefined, namespace: undefined };
  const filters = [
    { filter: all, want: true },
    { filter: { ...all, sinceMs: 1000, untilMs: 1000 }, want: true },
    { filter: { ...all, sinceMs: 1001 }, want: false },
    { filter: { ...all, untilMs: 999 }, want: false },
    { filter: { ...all, type: '*.taskrun.*.v1' }, want: true },
    { filter: { ...all, type: 'dev.svc.event.taskrun.running.v1' }, want: true },
    { filter: { ...all, type: 'dev-svc.*' }, want: false },
    { filter: { ...all, type: 'running' }, want: false },
    { filter: { ...all, namespace: 'ci' }, want: true },
    { filter: { ...all, namespace: 'c' }, want: false },
  ];
  for (const { filter, want } of filters) {
    it(`${want ? 'pass' : 'do not pass'} the filter ${JSON.stringify(filter)}`, () => {
      expect(letterFilter(filter)(outgoing({ timeMs: 1000 }))).to.equal(want);
    });
  }
});
