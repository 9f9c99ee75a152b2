import { expect } from 'chai';
import type { Observed } from '../../../lib/run/run.ts';
import type { Place } from '../../../lib/traces/place-of.ts';
import { runSpan } from '../../../lib/traces/run-span.ts';
import type { TraceOptions } from '../../../lib/traces/trace-options.ts';
import { observed, type RunGiven, svc } from '../../support/runs.ts';

const options: TraceOptions = { profile: svc, samplingRate: 1, hash: (text) => text };
const place: Place = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  parentSpanId: undefined,
  remoteParent: false,
  sampled: true,
  derived: true,
};
const spanOf = (one: Observed) => runSpan(one, place, { events: [], dropped: 3 }, options);
const at = (time: string) => Date.parse(`2026-01-01T${time}Z`);
const times = { started: '2026-01-01T00:00:01Z', completed: '2026-01-01T00:00:09Z' };

describe('runSpan', () => {
  const lengths: readonly { title: string; given: RunGiven; want: readonly (number | undefined)[] }[] = [
    {
      title: 'from start to completion',
      given: { ...times, condition: 'True/Succeeded/' },
      want: [at('00:00:01'), at('00:00:09')],
    },
    {
      title: 'to its condition without a completionTime',
      given: { started: times.started, condition: 'False/Failed/', at: '2026-01-01T00:00:05Z' },
      want: [at('00:00:01'), at('00:00:05')],
    },
    {
      title: 'without a length where it never started',
      given: { condition: 'False/Failed/', at: '2026-01-01T00:00:05Z' },
      want: [at('00:00:05'), at('00:00:05')],
    },
    {
      title: 'without a length where nothing tells its end',
      given: { started: times.started },
      want: [at('00:00:01'), at('00:00:01')],
    },
    {
      title: 'never to before its start',
      given: { started: times.completed, completed: times.started, condition: 'True/Succeeded/' },
      want: [at('00:00:09'), at('00:00:09')],
    },
    { title: 'nowhere when no time is told', given: {}, want: [undefined, undefined] },
  ];
  for (const { title, given, want } of lengths) {
    it(`goes ${title}`, () => {
      const span = spanOf(observed(given));
      expect([span?.startMs, span?.endMs]).to.deep.equal(want);
    });
  }

  const outcomes = [
    { condition: 'True/Succeeded/', result: 'success', status: { code: 'ok' } },
    { condition: 'False/TaskRunTimeout/', result: 'timeout', status: { code: 'error', message: 'TaskRunTimeout' } },
    { condition: 'False/TimedOut/late', result: 'timeout', status: { code: 'error', message: 'late' } },
    { condition: 'False/TaskRunCancelled/stop', result: 'cancellation', status: { code: 'error', message: 'stop' } },
    { condition: 'False/CancelledRunFinally/', result: 'failure' },
    { condition: 'False/Failed/exit 1', result: 'failure', status: { code: 'error', message: 'exit 1' } },
  ];
  for (const { condition, result, status } of outcomes) {
    it(`takes ${condition} for ${result}`, () => {
      const span = spanOf(observed({ ...times, condition }));
      expect(span?.attributes['cicd.pipeline.task.run.result']).to.equal(result);
      expect(span?.attributes['run.reason']).to.equal(condition.split('/')[1]);
      if (status !== undefined) expect(span?.status).to.deep.equal(status);
    });
  }

  it('says no reason of a run without a condition', () => {
    const span = spanOf(observed(times));
    expect(span?.attributes['run.reason']).to.equal('');
    expect(span?.status).to.deep.equal({ code: 'ok' });
  });

  const names: readonly { given: RunGiven; name: string; key: string }[] = [
    { given: { spec: { taskRef: { name: 'build' } } }, name: 'build', key: 'cicd.pipeline.task.name' },
    {
      given: { spec: { taskRef: { name: 'build' } }, labels: { [svc.labels.pipelineTask]: 'compile' } },
      name: 'compile',
      key: 'cicd.pipeline.task.name',
    },
    { given: { spec: { taskSpec: {} } }, name: 'build-1', key: 'cicd.pipeline.task.name' },
    {
      given: { kind: 'PipelineRun', spec: { pipelineRef: { name: 'release' } } },
      name: 'release',
      key: 'cicd.pipeline.name',
    },
    { given: { kind: 'CustomRun' }, name: 'build-1', key: 'cicd.pipeline.task.name' },
  ];
  for (const { given, name, key } of names) {
    it(`names a ${given.kind ?? 'TaskRun'} with ${JSON.stringify(given.spec ?? {})} ${name}`, () => {
      const span = spanOf(observed({ ...times, ...given }));
      expect(span?.name).to.equal(name);
      expect(span?.attributes).to.include({ [key]: name, 'run.kind': given.kind ?? 'TaskRun' });
    });
  }

  it('tells the pipeline and the pod where there are any, and what was left out', () => {
    const one = observed({ ...times, labels: { [svc.labels.pipeline]: 'release', [svc.labels.pipelineRun]: 'r1' } });
    const alone = spanOf(observed(times));
    const span = spanOf({
      ...one,
      resource: { ...one.resource, status: { podName: 'build-1-pod', startTime: times.started } },
    });
    expect(span?.attributes).to.include({ 'cicd.pipeline.name': 'release', 'k8s.pod.name': 'build-1-pod' });
    expect(alone?.attributes).to.not.have.any.keys('cicd.pipeline.name', 'k8s.pod.name');
    expect([span?.droppedEvents, span?.traceId, span?.spanId]).to.deep.equal([3, place.traceId, place.spanId]);
  });
});
