import { expect } from 'chai';
import fc from 'fast-check';
import { eventId } from '../../../lib/events/cloud-event.ts';
import { givenUpKubeEvent, kubeEventName, kubeEventOf } from '../../../lib/events/kube-event.ts';
import { uuid5 } from '../../../lib/io/uuid5.ts';
import type { OwedKubeEvent } from '../../../lib/run/step.ts';
import { outgoing } from '../../support/outgoing.ts';
import { observed, svc } from '../../support/runs.ts';

const options = {
  profile: svc,
  resourceType: { group: 'svc.dev', version: 'v1', kind: 'TaskRun' },
  uuid5,
  reporter: { component: 'svc-pipelines-controller', instance: 'controller-0' },
  nowMs: Date.UTC(2026, 2, 1, 10, 0, 0, 750),
};
const seen = observed({ condition: 'False/Failed/it broke', version: 9 });
const failed: OwedKubeEvent = { type: 'Warning', reason: 'Failed', message: 'it broke', word: 'failed' };

const told = { observed: seen, before: undefined };

describe('kubeEventOf', () => {
  it('makes an Event that kubectl describe finds under its run', () => {
    const id = eventId({ word: 'failed', ...told }, options);
    expect(kubeEventOf(failed, told, options)).to.deep.equal({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `build-1.${id}`, namespace: 'ci' },
      involvedObject: {
        apiVersion: 'svc.dev/v1',
        kind: 'TaskRun',
        namespace: 'ci',
        name: 'build-1',
        uid: 'u1',
        resourceVersion: '9',
      },
      type: 'Warning',
      reason: 'Failed',
      message: 'it broke',
      source: { component: 'svc-pipelines-controller' },
      reportingComponent: 'svc-pipelines-controller',
      reportingInstance: 'controller-0',
      firstTimestamp: '2026-03-01T10:00:00Z',
      lastTimestamp: '2026-03-01T10:00:00Z',
      count: 1,
      eventTime: null,
    });
  });

  it('cuts a message that the API server would refuse', () => {
    const { message } = kubeEventOf({ ...failed, message: 'é'.repeat(2000) }, told, options);
    expect(Buffer.byteLength(String(message))).to.be.within(1020, 1024);
  });
});

describe('kubeEventName', () => {
  const id = '0b6c1d1e-1111-5222-8333-444455556666';
  const names = [
    ['build-1', `build-1.${id}`],
    ['Build_1', `build-1.${id}`],
    ['-a-.-b-', `a.b.${id}`],
    ['a..b', `a.b.${id}`],
    ['', id],
  ] as const;
  for (const [name, want] of names)
    it(`makes ${want} of "${name}"`, () => expect(kubeEventName(name, id)).to.equal(want));

  it('is always a DNS subdomain', () => {
    const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
    const subdomain = new RegExp(`^${label}(\\.${label})*$`);
    const unit = fc.oneof(fc.constantFrom('.', '-', 'a', '7'), fc.string({ minLength: 1, maxLength: 1 }));
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 300 }), (name) => {
        expect(kubeEventName(name, id)).to.match(subdomain).and.to.have.lengthOf.at.most(253);
      }),
    );
  });
});

describe('givenUpKubeEvent', () => {
  it('says on the run that its event was given up', () => {
    const event = givenUpKubeEvent(outgoing({ source: 'build-1' }), options);
    expect(event).to.deep.include({ type: 'Warning', reason: 'CloudEventGivenUp' });
    expect(event.involvedObject).to.deep.include({ apiVersion: 'svc.dev/v1', kind: 'TaskRun', name: 'build-1' });
  });
});
