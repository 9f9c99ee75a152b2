import { expect } from 'chai';
import fc from 'fast-check';
import { readRun } from '../../../lib/run/read.ts';
import { observed, resource, svc, typeOf } from '../../support/runs.ts';

const as = { kind: 'TaskRun', type: typeOf('TaskRun'), labels: svc.labels } as const;

describe('readRun', () => {
  it('keeps what effects need later and nothing of the object', () => {
    const given = { condition: 'False/Failed/step x exited 1', at: '2026-01-01T00:00:09.5Z', version: 7 };
    expect(observed(given).run).to.deep.equal({
      kind: 'TaskRun',
      uid: 'u1',
      namespace: 'ci',
      name: 'build-1',
      resourceVersion: '7',
      condition: {
        status: 'False',
        reason: 'Failed',
        message: 'step x exited 1',
        transitionTimeMs: Date.parse('2026-01-01T00:00:09.5Z'),
      },
      oddStatus: undefined,
      parked: false,
      task: 'anonymous',
      pipeline: 'anonymous',
      pipelineRun: '',
      inPipeline: false,
    });
  });

  for (const missing of ['uid', 'name', 'namespace', 'resourceVersion']) {
    it(`refuses an object without metadata.${missing}`, () => {
      const whole = resource({});
      const metadata = { ...(whole.metadata as object), [missing]: undefined };
      expect(readRun({ ...whole, metadata }, as)).to.equal(undefined);
    });
  }

  const conditions = [
    { title: 'no condition yet', condition: undefined, want: undefined, odd: undefined },
    { title: 'a status in progress', condition: 'Unknown/Running/', want: 'Unknown', odd: undefined },
    { title: 'a status that is none of the three', condition: 'Maybe/Odd/', want: undefined, odd: 'Maybe' },
  ];
  for (const { title, condition, want, odd } of conditions) {
    it(`reads ${title}`, () => {
      const { run } = observed(condition === undefined ? {} : { condition });
      expect([run.condition?.status, run.oddStatus]).to.deep.equal([want, odd]);
    });
  }

  it('has no transition time where it is missing or no date', () => {
    expect(observed({ condition: 'True/Succeeded/', at: 'soon' }).run.condition?.transitionTimeMs).to.equal(undefined);
  });

  const parking = [
    { kind: 'TaskRun', status: 'TaskRunPending', want: true },
    { kind: 'PipelineRun', status: 'PipelineRunPending', want: true },
    { kind: 'TaskRun', status: 'PipelineRunPending', want: false },
    { kind: 'PipelineRun', status: 'Cancelled', want: false },
    { kind: 'CustomRun', status: 'TaskRunPending', want: false },
  ] as const;
  for (const { kind, status, want } of parking) {
    it(`${want ? 'knows' : 'does not take'} a ${kind} with spec.status ${status} ${want ? 'as' : 'for'} parked`, () => {
      expect(observed({ kind, spec: { status } }).run.parked).to.equal(want);
    });
  }

  it('never throws, whatever stands where', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('metadata', 'spec', 'status', 'x'), fc.jsonValue()), (anything) => {
        readRun(anything, as);
      }),
    );
    const odd = { ...resource({}), status: { conditions: [null, 3, { type: 'Succeeded', status: 'True' }] } };
    expect(readRun(odd, as)?.run.condition).to.include({ status: 'True', reason: '', message: '' });
  });
});
