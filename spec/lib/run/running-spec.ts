import { expect } from 'chai';
import { isRunning, throttleOf } from '../../../lib/run/running.ts';
import { observed, type RunGiven, svc, tekton } from '../../support/runs.ts';

describe('isRunning', () => {
  const rows: readonly { given: RunGiven; svcWant: boolean; tektonWant: boolean }[] = [
    { given: {}, svcWant: false, tektonWant: false },
    { given: { condition: 'Unknown/Running/' }, svcWant: true, tektonWant: true },
    { given: { condition: 'True/Succeeded/' }, svcWant: false, tektonWant: false },
    { given: { condition: 'Unknown/Pending/', spec: { status: 'TaskRunPending' } }, svcWant: false, tektonWant: true },
  ];
  for (const { given, svcWant, tektonWant } of rows) {
    it(`says ${svcWant} (${tektonWant} where parked runs run) of ${JSON.stringify(given)}`, () => {
      const { run } = observed(given);
      expect([isRunning(run, svc.behaviour), isRunning(run, tekton.behaviour)]).to.deep.equal([svcWant, tektonWant]);
    });
  }

  it('says no of a run that is gone', () => {
    expect(isRunning(undefined, svc.behaviour)).to.equal(false);
  });
});

describe('throttleOf', () => {
  const rows: readonly { given: RunGiven; want: string | undefined }[] = [
    { given: { condition: 'Unknown/ExceededResourceQuota/' }, want: 'quota' },
    { given: { condition: 'Unknown/ExceededNodeResources/' }, want: 'node' },
    { given: { condition: 'Unknown/Running/' }, want: undefined },
    { given: { condition: 'Unknown/constructor/' }, want: undefined },
    { given: { condition: 'False/ExceededResourceQuota/' }, want: undefined },
    { given: { condition: 'Unknown/ExceededResourceQuota/', spec: { status: 'TaskRunPending' } }, want: undefined },
  ];
  for (const { given, want } of rows) {
    it(`is ${want} for ${JSON.stringify(given)}`, () => {
      expect(throttleOf(observed(given).run, svc.behaviour)).to.equal(want);
    });
  }
});
