import { expect } from 'chai';
import fc from 'fast-check';
import { sha256Hex } from '../../../lib/io/otlp/sha256-hex.ts';
import { forget, type Known, observe, observeBaseline } from '../../../lib/run/observe.ts';
import type { Observed } from '../../../lib/run/run.ts';
import type { FinishedSpan } from '../../../lib/traces/finished-span.ts';
import { spanIdOf, traceIdOf } from '../../../lib/traces/ids.ts';
import { spansOf } from '../../../lib/traces/spans-of.ts';
import { createTraceMemory, type TraceMemory } from '../../../lib/traces/trace-memory.ts';
import type { TraceOptions } from '../../../lib/traces/trace-options.ts';
import { traceparentOf } from '../../../lib/traces/traceparent-of.ts';
import { observed, type RunGiven, svc } from '../../support/runs.ts';

const options: TraceOptions = { profile: svc, samplingRate: 1, hash: sha256Hex };
const callers = '4bf92f3577b34da6a3ce929d0e0e4736';
const callersSpan = '00f067aa0ba902b7';
const at = (time: string) => Date.parse(`2026-01-01T${time}Z`);

interface Given extends RunGiven {
  readonly owner?: { readonly kind?: string; readonly uid: string; readonly apiVersion?: string };
  readonly annotations?: Readonly<Record<string, string>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

/** A version of a run with what traces look at beside the rest. */
function version({ owner, annotations, status, ...given }: Given): Observed {
  const one = observed(given);
  const metadata = {
    ...(one.resource.metadata as object),
    annotations,
    ...(owner === undefined ? {} : { ownerReferences: [{ kind: 'PipelineRun', apiVersion: 'svc.dev/v1', ...owner }] }),
  };
  return { ...one, resource: { ...one.resource, metadata, status: { ...(one.resource.status as object), ...status } } };
}

/** Spans of runs that go through these versions one after the other. */
function traced(
  versions: readonly (Given | 'deleted')[],
  {
    memory = createTraceMemory(),
    more = options,
    baseline = 0,
  }: { memory?: TraceMemory; more?: TraceOptions; baseline?: number } = {},
): FinishedSpan[] {
  const known = new Map<string, Known>();
  let last = '';
  return versions.flatMap((given, index) => {
    if (given === 'deleted') {
      const before = known.get(last);
      known.delete(last);
      return before === undefined ? [] : spansOf(forget(before), memory, more);
    }
    const one = version(given);
    last = one.run.uid;
    const before = known.get(last);
    const next = index < baseline ? observeBaseline(before, one) : observe(before, one, svc.behaviour);
    known.set(last, next.known);
    return spansOf(next.step, memory, more);
  });
}

const times = { started: '2026-01-01T00:00:01Z', completed: '2026-01-01T00:00:09Z' };
const done: Given = { ...times, condition: 'True/Succeeded/', at: '2026-01-01T00:00:09Z' };

describe('spansOf', () => {
  it('makes a TaskRun on its own the root of its trace, with what happened to it', () => {
    const spans = traced([
      { started: times.started, condition: 'Unknown/Pending/no node', at: '2026-01-01T00:00:01Z' },
      { started: times.started, condition: 'Unknown/Pending/no node', version: 2, at: '2026-01-01T00:00:02Z' },
      { started: times.started, condition: 'Unknown/Running/', version: 3, at: '2026-01-01T00:00:03Z' },
      { ...done, version: 4, spec: { taskRef: { name: 'compile' } }, status: { podName: 'build-1-pod' } },
    ]);
    const event = (name: string, time: string, status: string, said = {}) => ({
      name,
      timeMs: at(time),
      attributes: { 'condition.status': status, 'condition.reason': name, ...said },
    });
    expect(spans).to.deep.equal([
      {
        traceId: traceIdOf('u1', sha256Hex),
        spanId: spanIdOf('u1', sha256Hex),
        parentSpanId: undefined,
        remoteParent: false,
        name: 'compile',
        startMs: at('00:00:01'),
        endMs: at('00:00:09'),
        attributes: {
          'run.kind': 'TaskRun',
          'run.name': 'build-1',
          'run.reason': 'Succeeded',
          'k8s.namespace.name': 'ci',
          'cicd.pipeline.task.name': 'compile',
          'cicd.pipeline.task.run.id': 'u1',
          'cicd.pipeline.task.run.result': 'success',
          'k8s.pod.name': 'build-1-pod',
        },
        events: [
          event('Pending', '00:00:01', 'Unknown', { 'condition.message': 'no node' }),
          event('Running', '00:00:03', 'Unknown'),
          event('Succeeded', '00:00:09', 'True'),
        ],
        droppedEvents: 0,
        status: { code: 'ok' },
      },
    ]);
  });

  it('puts TaskRuns and CustomRuns under the PipelineRun that owns them', () => {
    const owner = { uid: 'p1' };
    const labels = {
      'svc.dev/pipeline': 'release',
      'svc.dev/pipelineRun': 'release-7',
      'svc.dev/pipelineTask': 'unit',
    };
    const pipeline: Given = {
      kind: 'PipelineRun',
      uid: 'p1',
      name: 'release-7',
      spec: { pipelineRef: { name: 'release' } },
    };
    const spans = traced([
      { ...pipeline, condition: 'Unknown/Running/' },
      { ...done, uid: 't1', owner, labels },
      { ...done, kind: 'CustomRun', uid: 'c1', name: 'approve-1', owner },
      { ...pipeline, ...done, version: 9 },
    ]);
    const root = spanIdOf('p1', sha256Hex);
    expect(
      spans.map(({ name, parentSpanId, traceId }) => [name, parentSpanId, traceId === spans[0]?.traceId]),
    ).to.deep.equal([
      ['unit', root, true],
      ['approve-1', root, true],
      ['release', undefined, true],
    ]);
    expect(spans[0]?.attributes).to.include({ 'cicd.pipeline.name': 'release' });
    expect(spans[2]?.spanId).to.equal(root);
    expect(spans[2]?.attributes).to.include({ 'cicd.pipeline.run.id': 'p1', 'cicd.pipeline.result': 'success' });
  });

  it('makes a span of each step that ran', () => {
    const step = (name: string, terminated: object) => ({ name, container: `step-${name}`, terminated });
    const ran = { startedAt: '2026-01-01T00:00:02Z', finishedAt: '2026-01-01T00:00:04Z' };
    const steps = [
      step('fetch', { ...ran, exitCode: 0, reason: 'Completed' }),
      { ...step('test', { ...ran, exitCode: 3, reason: 'Error' }), terminationReason: 'Error' },
      step('odd', { startedAt: '2026-01-01T00:00:04Z', finishedAt: '2026-01-01T00:00:03Z', exitCode: 137 }),
      { name: 'never', waiting: {} },
      { terminated: ran },
    ];
    const [run, ...rest] = traced([{ ...done, condition: 'False/Failed/step test exited with 3', status: { steps } }]);
    expect(run?.status).to.deep.equal({ code: 'error', message: 'step test exited with 3' });
    expect(rest.map(({ name, status, attributes }) => ({ name, status, attributes }))).to.deep.equal([
      {
        name: 'fetch',
        status: { code: 'ok' },
        attributes: {
          'step.name': 'fetch',
          'process.exit.code': 0,
          'k8s.container.name': 'step-fetch',
          'step.reason': 'Completed',
        },
      },
      {
        name: 'test',
        status: { code: 'error', message: 'exit code 3 (Error)' },
        attributes: {
          'step.name': 'test',
          'process.exit.code': 3,
          'k8s.container.name': 'step-test',
          'step.reason': 'Error',
        },
      },
      {
        name: 'odd',
        status: { code: 'error', message: 'exit code 137' },
        attributes: { 'step.name': 'odd', 'process.exit.code': 137, 'k8s.container.name': 'step-odd' },
      },
      { name: 'step 5', status: { code: 'ok' }, attributes: { 'step.name': 'step 5' } },
    ]);
    expect(
      rest.every(({ parentSpanId, traceId }) => parentSpanId === run?.spanId && traceId === run?.traceId),
    ).to.equal(true);
    expect(rest.map(({ startMs, endMs }) => endMs - startMs)).to.deep.equal([2000, 2000, 0, 2000]);
    expect(new Set(rest.map(({ spanId }) => spanId)).size).to.equal(4);
  });

  const outcomes = [
    { condition: 'False/TaskRunCancelled/', result: 'cancellation', message: 'TaskRunCancelled' },
    { condition: 'False/TaskRunTimeout/too long', result: 'timeout', message: 'too long' },
    { condition: 'False/TaskRunTimedOut/', result: 'timeout', message: 'TaskRunTimedOut' },
    { condition: 'False/Failed/', result: 'failure', message: 'Failed' },
  ];
  for (const { condition, result, message } of outcomes) {
    it(`says ${result} of ${condition}`, () => {
      const [span] = traced([{ ...done, condition }]);
      expect(span?.attributes).to.include({ 'cicd.pipeline.task.run.result': result });
      expect(span?.status).to.deep.equal({ code: 'error', message });
    });
  }

  const lengths: readonly { title: string; given: Given; want: [string, string] | undefined }[] = [
    { title: 'ends with its condition', given: { started: times.started }, want: ['00:00:01', '00:00:09'] },
    { title: 'has no length when it never started', given: {}, want: ['00:00:09', '00:00:09'] },
    {
      title: 'never ends before its start',
      given: { started: '2026-01-01T00:00:10Z' },
      want: ['00:00:10', '00:00:10'],
    },
    { title: 'is not there when no time is told', given: { at: 'never' }, want: undefined },
  ];
  for (const { title, given, want } of lengths) {
    it(`a run without a completion time ${title}`, () => {
      const [span] = traced([{ condition: 'True/Succeeded/', at: '2026-01-01T00:00:09Z', ...given }]);
      expect(span && [span.startMs, span.endMs]).to.deep.equal(want?.map(at));
    });
  }

  it('goes under the traceparent that a run carries', () => {
    const carrying = (key: string, flags = '01') => ({
      [key]: JSON.stringify({ traceparent: `00-${callers}-${callersSpan}-${flags}` }),
    });
    const pipeline: Given = { kind: 'PipelineRun', uid: 'p1', annotations: carrying('svc.dev/pipelinerunSpanContext') };
    const spans = traced([
      { ...pipeline, condition: 'Unknown/Running/' },
      { ...done, uid: 't1', owner: { uid: 'p1' } },
      { ...done, uid: 't2', annotations: carrying('svc.dev/taskrunSpanContext') },
      { ...done, uid: 't3', owner: { uid: 'p3' }, annotations: carrying('svc.dev/pipelinerunSpanContext') },
      { ...done, uid: 't4', annotations: carrying('svc.dev/taskrunSpanContext', '00') },
      { ...pipeline, ...done, version: 2 },
    ]);
    expect(spans.map(({ traceId, parentSpanId, remoteParent }) => [traceId, parentSpanId, remoteParent])).to.deep.equal(
      [
        [callers, spanIdOf('p1', sha256Hex), false],
        [callers, callersSpan, true],
        [callers, spanIdOf('p3', sha256Hex), false],
        [callers, callersSpan, true],
      ],
    );
  });

  for (const annotation of ['no JSON', '{}', '7', '{"traceparent":"00-0-0-01"}', '{"traceparent":7}']) {
    it(`is a root when the annotation says ${annotation}`, () => {
      const [span] = traced([{ ...done, annotations: { 'svc.dev/taskrunSpanContext': annotation } }]);
      expect(span?.parentSpanId).to.equal(undefined);
    });
  }

  it('takes no other owner for a PipelineRun', () => {
    for (const owner of [
      { uid: 'x', kind: 'CronJob' },
      { uid: 'x', apiVersion: 'other.dev/v1' },
    ]) {
      const [span] = traced([{ ...done, owner }]);
      expect(span?.parentSpanId).to.equal(undefined);
    }
  });

  it('finds the trace of a PipelineRun within a PipelineRun for its TaskRuns', () => {
    const spans = traced([
      { kind: 'PipelineRun', uid: 'inner', owner: { uid: 'outer' }, condition: 'Unknown/Running/' },
      { ...done, uid: 't1', owner: { uid: 'inner' } },
    ]);
    expect(spans[0]?.traceId).to.equal(traceIdOf('outer', sha256Hex));
  });

  it('tells nothing of runs that were over when we began to look, and remembers nothing of them', () => {
    const memory = createTraceMemory();
    expect(
      traced([done, { ...done, version: 2, condition: 'True/Completed/' }], { memory, baseline: 1 }),
    ).to.deep.equal([]);
    expect(memory.size).to.equal(0);
  });

  it('tells the end of runs that were under way when we began to look', () => {
    const spans = traced([{ condition: 'Unknown/Running/' }, { ...done, version: 2 }], { baseline: 1 });
    expect(spans[0]?.events.map(({ name }) => name)).to.deep.equal(['Running', 'Succeeded']);
  });

  it('says the same spans again after a restart', () => {
    const versions: Given[] = [{ condition: 'Unknown/Running/' }, { ...done, version: 2 }];
    expect(traced(versions)).to.deep.equal(traced(versions));
  });

  it('forgets a run at its end and at its deletion', () => {
    const memory = createTraceMemory();
    const running: Given = { condition: 'Unknown/Running/' };
    traced([running, { ...done, version: 2 }], { memory });
    expect(memory.size).to.equal(0);
    const annotations = {
      'svc.dev/pipelinerunSpanContext': JSON.stringify({ traceparent: `00-${callers}-${callersSpan}-01` }),
    };
    traced([{ ...running, kind: 'PipelineRun', annotations }, 'deleted'], { memory });
    expect(memory.size).to.equal(0);
  });

  it('remembers nothing of runs that are not sampled', () => {
    const memory = createTraceMemory();
    const more = { ...options, samplingRate: 0 };
    expect(
      traced([{ condition: 'Unknown/Running/' }, { ...done, version: 2 }, 'deleted'], { memory, more }),
    ).to.deep.equal([]);
    traced([{ condition: 'Unknown/Running/' }], { memory, more });
    expect(memory.size).to.equal(0);
  });

  it('never makes a span end before it starts, or without an id, whatever the status says', () => {
    const time = fc.constantFrom('2026-01-01T00:00:01Z', '2026-01-01T00:00:05Z', '', 'soon');
    const status = fc.record({
      startTime: time,
      completionTime: time,
      steps: fc.oneof(
        fc.array(fc.record({ name: fc.string(), terminated: fc.record({ startedAt: time, finishedAt: time }) })),
        fc.anything(),
      ),
    });
    fc.assert(
      fc.property(status, (given) => {
        for (const { startMs, endMs, traceId, spanId } of traced([{ ...done, status: given }])) {
          expect(endMs).to.be.at.least(startMs);
          expect(traceId).to.match(/^[0-9a-f]{32}$/);
          expect(spanId).to.match(/^[0-9a-f]{16}$/);
        }
      }),
    );
  });
});

describe('traceparentOf', () => {
  it('is the traceparent of the span that the run will have', () => {
    const run = version({ condition: 'Unknown/Running/' });
    const [span] = traced([{ condition: 'Unknown/Running/' }, { ...done, version: 2 }]);
    expect(traceparentOf(run, createTraceMemory(), options)).to.equal(`00-${span?.traceId}-${span?.spanId}-01`);
  });

  it('is not there when the trace is not kept', () => {
    const run = version({ condition: 'Unknown/Running/' });
    expect(traceparentOf(run, createTraceMemory(), { ...options, samplingRate: 0 })).to.equal(undefined);
  });

  it('forgets what happened to a run whose trace is not kept any more', () => {
    const memory = createTraceMemory();
    const begun: Given = { condition: 'Unknown/Running/', started: '2026-01-01T00:00:00Z' };
    traced([begun], { memory });
    expect(memory.size).to.equal(1);
    traced([begun, { condition: 'True/Succeeded/' }], { memory, more: { ...options, samplingRate: 0 } });
    expect(memory.size).to.equal(0);
  });
});
