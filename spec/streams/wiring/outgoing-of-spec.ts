import { expect } from 'chai';
import { observe } from '../../../lib/run/observe.ts';
import { outgoingOf } from '../../../streams/wiring/outgoing-of.ts';
import { observed, svc } from '../../support/runs.ts';

const { step } = observe(undefined, observed({ condition: 'Unknown/Started/', version: 7 }), svc.behaviour);

describe('outgoingOf', () => {
  it('makes the events of a step by the profile and the resource as watched', () => {
    const [event] = outgoingOf(svc)(step);
    expect(event).to.deep.include({
      type: 'dev.svc.event.taskrun.started.v1',
      source: '/apis/svc.dev/v1/namespaces/ci/taskruns/build-1',
      sequence: '00000000000000000007.0',
      synthesized: false,
      traceparent: undefined,
    });
    expect(event?.id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-/);
  });

  it('gives the same id however often it is asked', () => {
    expect(outgoingOf(svc)(step)[0]?.id).to.equal(outgoingOf(svc)(step)[0]?.id);
  });

  it('makes none of a deletion', () => {
    const asked: unknown[] = [];
    const outgoing = outgoingOf(svc, (run) => void asked.push(run) as undefined);
    expect(outgoing({ ...step, after: undefined, observed: undefined })).to.deep.equal([]);
    expect(asked).to.deep.equal([]);
  });

  it('says the trace of the run, and that it was told from a list', () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const outgoing = outgoingOf(svc, ({ run }) => (run.name === 'build-1' ? traceparent : undefined));
    expect(outgoing({ ...step, synthesized: true })[0]).to.deep.include({ traceparent, synthesized: true });
  });
});
