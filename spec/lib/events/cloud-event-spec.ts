import { expect } from 'chai';
import { outgoingEvents } from '../../../lib/events/cloud-event.ts';
import type { OutgoingEvent } from '../../../lib/events/outgoing.ts';
import type { EventWord, Step } from '../../../lib/run/step.ts';
import { observed, type RunGiven, svc } from '../../support/runs.ts';

const resourceType = { group: 'svc.dev', version: 'v1', plural: 'taskruns' };
const options = { profile: svc, resourceType, uuid5: (name: string) => `uuid of ${name}` };

function step(given: RunGiven, events: readonly EventWord[], before?: RunGiven): Step {
  const seen = observed(given);
  const known = before === undefined ? undefined : observed(before).run;
  return {
    before: known,
    after: seen.run,
    observed: seen,
    events,
    kubeEvents: [],
    synthesized: false,
    finished: undefined,
  };
}

function bodyOf({ body }: OutgoingEvent): Record<string, Record<string, unknown>> {
  return JSON.parse(new TextDecoder().decode(body));
}

function only(events: readonly OutgoingEvent[]): OutgoingEvent {
  const [event, ...more] = events;
  if (event === undefined || more.length > 0) throw new Error(`expected one event, got ${events.length}`);
  return event;
}

describe('outgoingEvents', () => {
  const running: RunGiven = { condition: 'Unknown/Running/', at: '2026-03-01T10:00:00.250Z', version: 4711 };

  it('carries everything a post needs', () => {
    const { body: _, ...event } = only(outgoingEvents(step(running, ['running']), options));
    expect(event).to.deep.equal({
      id: 'uuid of ["u1","dev.svc.event.taskrun.running.v1","Unknown","Running","","1772359200250","4711"]',
      source: '/apis/svc.dev/v1/namespaces/ci/taskruns/build-1',
      type: 'dev.svc.event.taskrun.running.v1',
      subject: 'build-1',
      timeMs: Date.UTC(2026, 2, 1, 10, 0, 0, 250),
      sequence: '00000000000000004711.0',
      synthesized: false,
      traceparent: undefined,
      word: 'running',
      kind: 'TaskRun',
      namespace: 'ci',
      name: 'build-1',
      uid: 'u1',
      resourceVersion: '4711',
    });
  });

  it('numbers the events of one step', () => {
    const events = outgoingEvents(step(running, ['started', 'running']), options);
    expect(events.map(({ type, sequence }) => [type, sequence])).to.deep.equal([
      ['dev.svc.event.taskrun.started.v1', '00000000000000004711.0'],
      ['dev.svc.event.taskrun.running.v1', '00000000000000004711.1'],
    ]);
  });

  it('takes the previous condition into the id', () => {
    const before: RunGiven = { ...running, condition: 'Unknown/Pending/', version: 4710 };
    const { id } = only(outgoingEvents(step(running, ['running'], before), options));
    expect(id).to.match(/"1772359200250","4711"\]$/);
  });

  const bodies = [
    { kind: 'TaskRun', plural: 'taskruns', key: 'taskRun' },
    { kind: 'PipelineRun', plural: 'pipelineruns', key: 'pipelineRun' },
    { kind: 'CustomRun', plural: 'customruns', key: 'customRun' },
  ] as const;
  for (const { kind, plural, key } of bodies) {
    it(`puts a whole ${kind} under ${key}`, () => {
      const type = { group: 'svc.dev', version: 'v1beta1', plural };
      const seen = step({ ...running, kind }, ['failed']);
      const event = only(outgoingEvents(seen, { ...options, resourceType: type }));
      expect(bodyOf(event)).to.deep.equal({
        [key]: { ...seen.observed?.resource, apiVersion: 'svc.dev/v1beta1', kind },
      });
      expect(event.source).to.equal(`/apis/svc.dev/v1beta1/namespaces/ci/${plural}/build-1`);
    });
  }

  it('leaves managedFields out, and fills in what objects of a list lack', () => {
    const seen = step(running, ['running']);
    const { apiVersion: _, kind: __, ...listed } = seen.observed?.resource ?? {};
    const metadata = { ...(listed.metadata as object), managedFields: [{ manager: 'kubectl' }] };
    const event = only(
      outgoingEvents({ ...seen, observed: { ...observed(running), resource: { ...listed, metadata } } }, options),
    );
    expect(bodyOf(event).taskRun).to.deep.include({ apiVersion: 'svc.dev/v1', kind: 'TaskRun' });
    expect(bodyOf(event).taskRun?.metadata).to.deep.equal(listed.metadata);
  });

  it('has the same bytes whether the run came by list or by watch', () => {
    const seen = step(running, ['running']);
    const { apiVersion: _, kind: __, ...listed } = seen.observed?.resource ?? {};
    const byList = only(outgoingEvents({ ...seen, observed: { ...observed(running), resource: listed } }, options));
    expect(byList.body).to.deep.equal(only(outgoingEvents(seen, options)).body);
  });

  it('times a run without a condition by its creation', () => {
    const created = { kind: 'CustomRun', created: '2026-03-01T09:00:00Z' } as const;
    expect(only(outgoingEvents(step(created, ['started']), options)).timeMs).to.equal(Date.UTC(2026, 2, 1, 9));
  });

  it('times at 0 what carries no readable time at all', () => {
    expect(only(outgoingEvents(step({ created: 'yesterday' }, ['started']), options)).timeMs).to.equal(0);
    const bare = { ...step({}, ['started']), observed: { ...observed({}), resource: { metadata: null } } };
    expect(only(outgoingEvents(bare, options)).timeMs).to.equal(0);
  });

  it('marks what is synthesized and what is traced', () => {
    const marked = { ...options, synthesized: true, traceparent: '00-a-b-01' };
    expect(only(outgoingEvents(step(running, ['running']), marked))).to.deep.include({
      synthesized: true,
      traceparent: '00-a-b-01',
    });
  });

  it('gives nothing for a step that owes nothing, or of which no object is left', () => {
    expect(outgoingEvents(step(running, []), options)).to.deep.equal([]);
    expect(outgoingEvents({ ...step(running, ['failed']), observed: undefined }, options)).to.deep.equal([]);
  });
});
