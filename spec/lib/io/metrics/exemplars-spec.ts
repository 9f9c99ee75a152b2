import { expect } from 'chai';
import type { ExemplarSpan } from '../../../../lib/metrics/exemplar.ts';
import type { Observed } from '../../../../lib/run/run.ts';
import type { Step } from '../../../../lib/run/step.ts';
import { observed } from '../../../support/runs.ts';
import { finish, pipelineRun, pipelineTaskRun, taskRun } from '../../metrics/steps.ts';
import { createHarness, type Harness } from './harness.ts';
import { problemsOf } from './open-metrics.ts';

const spanNumber = (index: number): ExemplarSpan => ({
  traceId: String(index).padStart(32, '0'),
  spanId: String(index).padStart(16, '0'),
});

/** The step with a whole object, as runs that are watched have it. */
const whole = (step: Step): Step => ({ ...step, observed: observed({}) });

/** What stands behind each bucket that has an exemplar: its bound, and the exemplar. */
async function exemplars({ page }: Pick<Harness, 'page'>): Promise<readonly string[]> {
  const text = await page('openmetrics');
  expect(problemsOf(text)).to.deep.equal([]);
  return [...text.matchAll(/le="([^"]+)"\} \d+ (#.*)$/gm)].map(([, bound, exemplar]) => `${bound} ${exemplar}`);
}

const wrote = (bound: string, index: number, rest: string) => {
  const { traceId, spanId } = spanNumber(index);
  return `${bound} # {trace_id="${traceId}",span_id="${spanId}"} ${rest}`;
};

describe('exemplars', () => {
  let wallMs: number;
  let harness: Harness;
  beforeEach(() => {
    wallMs = 1_500;
    harness = createHarness({}, { wallMs: () => wallMs });
  });

  const record = (step: Step, index: number) => harness.metrics.record(whole(step), () => spanNumber(index));

  it('put the latest run of each bucket behind it, the first and the last bucket included', async () => {
    record(finish(taskRun(), { durationSeconds: 7 }), 1);
    record(finish(taskRun(), { durationSeconds: 42.5 }), 2);
    wallMs = 2_750;
    record(finish(taskRun(), { durationSeconds: 43 }), 3);
    record(finish(taskRun(), { durationSeconds: 100_000 }), 4);
    expect(await exemplars(harness)).to.deep.equal([
      wrote('10.0', 1, '7 1.5'),
      wrote('60.0', 3, '43 2.75'),
      wrote('+Inf', 4, '100000 2.75'),
    ]);
  });

  it('are on each of the three durations, and on nothing else', async () => {
    for (const [index, run] of [pipelineRun(), pipelineTaskRun({ uid: 'u2' }), taskRun({ uid: 'u3' })].entries())
      record(finish(run), index);
    expect(await exemplars(harness)).to.have.lengthOf(3);
  });

  it('are never written in text 0.0.4', async () => {
    record(finish(taskRun()), 1);
    expect(await harness.page('text')).not.to.include('trace_id');
    expect(await exemplars(harness)).to.have.lengthOf(1);
  });

  it('keep their labels below the 128 characters that OpenMetrics allows', async () => {
    record(finish(taskRun()), 1);
    const [, labels = ''] = /# \{(.*?)\}/.exec((await exemplars(harness))[0] ?? '') ?? [];
    expect(labels.replaceAll(/[=",]/g, '').length).to.equal(63);
  });

  const without: readonly { name: string; when: Step; spanOf?: (run: Observed) => ExemplarSpan | undefined }[] = [
    { name: 'a run that is not traced', when: whole(finish(taskRun())) },
    { name: 'a run whose trace is not kept', when: whole(finish(taskRun())), spanOf: () => undefined },
    { name: 'a run without its object', when: finish(taskRun()), spanOf: () => spanNumber(1) },
  ];
  for (const { name, when, spanOf } of without) {
    it(`leave out ${name}, and what was there stays`, async () => {
      record(finish(taskRun(), { durationSeconds: 42 }), 9);
      harness.metrics.record(when, spanOf);
      expect(await exemplars(harness)).to.deep.equal([wrote('60.0', 9, '42 1.5')]);
    });
  }

  it('are not there for a gauge with the last duration', async () => {
    harness.apply({ taskrunDurationType: 'lastvalue' });
    record(finish(taskRun()), 1);
    expect(await exemplars(harness)).to.deep.equal([]);
  });

  it('go with a series that a change of level replaces', async () => {
    record(finish(taskRun()), 1);
    harness.apply({ taskrunLevel: 'namespace' });
    harness.apply({});
    harness.metrics.record(finish(taskRun()));
    expect(await exemplars(harness)).to.deep.equal([]);
  });

  it('are forgotten when runs are no longer traced', async () => {
    record(finish(taskRun()), 1);
    harness.metrics.forgetExemplars();
    expect(await exemplars(harness)).to.deep.equal([]);
    expect(await harness.scrape('taskrun_duration_seconds_count')).to.have.lengthOf(1);
  });

  it('stay with the series that the limit folds runs into', async () => {
    harness.apply({ seriesLimit: 1 });
    record(finish(taskRun()), 1);
    for (const index of [2, 3]) record(finish(taskRun({ task: `other-${index}` })), index);
    expect(await exemplars(harness)).to.deep.equal([wrote('60.0', 1, '42 1.5'), wrote('60.0', 3, '42 1.5')]);
  });
});
