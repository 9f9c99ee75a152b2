import { expect } from 'chai';
import { finishedOf } from '../../../lib/run/finished.ts';
import { observed, type RunGiven } from '../../support/runs.ts';

describe('finishedOf', () => {
  const statuses: readonly { given: RunGiven; want: string | undefined }[] = [
    { given: { condition: 'True/Succeeded/' }, want: 'success' },
    { given: { condition: 'False/Failed/' }, want: 'failed' },
    { given: { condition: 'False/TaskRunTimeout/' }, want: 'failed' },
    { given: { condition: 'False/TaskRunCancelled/' }, want: 'cancelled' },
    { given: { kind: 'PipelineRun', condition: 'False/Cancelled/' }, want: 'cancelled' },
    { given: { condition: 'False/Cancelled/' }, want: 'failed' },
    { given: { kind: 'PipelineRun', condition: 'False/TaskRunCancelled/' }, want: 'failed' },
    { given: { condition: 'True/TaskRunCancelled/' }, want: 'success' },
    { given: { condition: 'Unknown/Running/' }, want: undefined },
    { given: {}, want: undefined },
    { given: { kind: 'CustomRun', condition: 'True/Succeeded/' }, want: undefined },
  ];
  for (const { given, want } of statuses) {
    it(`calls a ${given.kind ?? 'TaskRun'} at ${given.condition ?? 'no condition'} ${want ?? 'unfinished'}`, () => {
      expect(finishedOf(observed(given))?.status).to.equal(want);
    });
  }

  const started = '2026-01-01T00:00:00Z';
  const durations: readonly { title: string; given: RunGiven; want: number }[] = [
    { title: 'completionTime - startTime', given: { started, completed: '2026-01-01T00:01:30Z' }, want: 90 },
    {
      title: 'condition time - startTime without a completionTime',
      given: { started, at: '2026-01-01T00:00:12Z' },
      want: 12,
    },
    { title: '0 without a startTime', given: { completed: '2026-01-01T00:01:30Z' }, want: 0 },
    { title: '0 where the clock ran backwards', given: { started, completed: '2025-12-31T23:59:00Z' }, want: 0 },
    { title: '0 where a time is no date', given: { started: 'then', completed: 'now' }, want: 0 },
  ];
  for (const { title, given, want } of durations) {
    it(`times a run as ${title}`, () => {
      expect(finishedOf(observed({ ...given, condition: 'True/Succeeded/' }))?.durationSeconds).to.equal(want);
    });
  }
});
