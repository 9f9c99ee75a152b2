import { expect } from 'chai';
import fc from 'fast-check';
import type { Behaviour } from '../../../lib/profile.ts';
import {
  forget,
  type Known,
  observe,
  observeBaseline,
  observeRecovered,
  observeTold,
  recall,
} from '../../../lib/run/observe.ts';
import type { Step } from '../../../lib/run/step.ts';
import { observed, type RunGiven, svc, tekton } from '../../support/runs.ts';

/** The steps of one run through these versions, in order. */
function lifeOf(versions: readonly RunGiven[], behaviour: Behaviour = svc.behaviour, baseline?: RunGiven): Step[] {
  let known: Known | undefined = baseline && observeBaseline(undefined, observed(baseline)).known;
  return versions.map((given, index) => {
    const observation = observe(known, observed({ version: index + 2, ...given }), behaviour);
    known = observation.known;
    return observation.step;
  });
}

const parked = { status: 'TaskRunPending' };

describe('observe', () => {
  const lives: readonly { title: string; versions: readonly RunGiven[]; want: readonly string[] }[] = [
    { title: 'a run without a condition', versions: [{}], want: [''] },
    {
      title: 'a life from Started to True',
      versions: [
        { condition: 'Unknown/Started/' },
        { condition: 'Unknown/Running/' },
        { condition: 'True/Succeeded/' },
      ],
      want: ['started', 'running', 'successful'],
    },
    { title: 'a first sight in Running', versions: [{ condition: 'Unknown/Running/' }], want: ['started,running'] },
    { title: 'a first sight in Pending', versions: [{ condition: 'Unknown/Pending/' }], want: ['started,unknown'] },
    { title: 'a first sight that is already finished', versions: [{ condition: 'False/Failed/' }], want: ['failed'] },
    {
      title: 'a message that changes under Running',
      versions: [{ condition: 'Unknown/Running/a' }, { condition: 'Unknown/Running/b' }],
      want: ['started,running', 'running'],
    },
    {
      title: 'a reason that changes while in progress',
      versions: [{ condition: 'Unknown/Running/' }, { condition: 'Unknown/ExceededNodeResources/' }],
      want: ['started,running', 'unknown'],
    },
    {
      title: 'Started again after a retry',
      versions: [{ condition: 'Unknown/Running/' }, { condition: 'Unknown/Started/' }],
      want: ['started,running', 'unknown'],
    },
    {
      title: 'the same condition again',
      versions: [{ condition: 'Unknown/Running/' }, { condition: 'Unknown/Running/', at: '2026-02-02T00:00:00Z' }],
      want: ['started,running', ''],
    },
    {
      title: 'a parked run that goes',
      versions: [
        { condition: 'Unknown/Pending/', spec: parked },
        { condition: 'Unknown/Pending/' },
        { condition: 'Unknown/Running/' },
      ],
      want: ['unknown', '', 'started,running'],
    },
    {
      title: 'a condition that goes away and comes back',
      versions: [{ condition: 'Unknown/Running/' }, {}, { condition: 'Unknown/Running/' }],
      want: ['started,running', '', 'running'],
    },
    { title: 'a status that is none of the three', versions: [{ condition: 'Maybe/Odd/' }], want: [''] },
    {
      title: 'a message that changes after the end',
      versions: [{ condition: 'True/Succeeded/' }, { condition: 'True/Succeeded/tidied' }],
      want: ['successful', 'successful'],
    },
    {
      title: 'a CustomRun without a condition',
      versions: [
        { kind: 'CustomRun' },
        { kind: 'CustomRun', condition: 'Unknown/Any/' },
        { kind: 'CustomRun', condition: 'True/Done/' },
      ],
      want: ['started', 'running', 'successful'],
    },
    {
      title: 'a CustomRun first seen in progress',
      versions: [
        { kind: 'CustomRun', condition: 'Unknown/Any/' },
        { kind: 'CustomRun', condition: 'Unknown/Other/' },
      ],
      want: ['started', 'running'],
    },
    {
      title: 'a CustomRun first seen in Running',
      versions: [{ kind: 'CustomRun', condition: 'Unknown/Running/' }],
      want: ['started,running'],
    },
  ];
  for (const { title, versions, want } of lives) {
    it(`tells ${title} as ${want.map((words) => words || 'nothing').join(' then ')}`, () => {
      expect(lifeOf(versions).map(({ events }) => events.join())).to.deep.equal(want);
    });
  }

  const afterBaseline: readonly { title: string; baseline: RunGiven; next: RunGiven; want: string }[] = [
    {
      title: 'no late started for a run under way',
      baseline: { condition: 'Unknown/Running/' },
      next: { condition: 'Unknown/Running/x' },
      want: 'running',
    },
    {
      title: 'started for a run that had no condition yet',
      baseline: {},
      next: { condition: 'Unknown/Started/' },
      want: 'started',
    },
    {
      title: 'started for a run that was parked',
      baseline: { condition: 'Unknown/Pending/', spec: parked },
      next: { condition: 'Unknown/Started/' },
      want: 'started',
    },
    {
      title: 'the end of a run under way',
      baseline: { condition: 'Unknown/Running/' },
      next: { condition: 'True/Succeeded/' },
      want: 'successful',
    },
    {
      title: 'unknown for a finished run that is retried',
      baseline: { condition: 'False/Failed/' },
      next: { condition: 'Unknown/Pending/' },
      want: 'unknown',
    },
    {
      title: 'running for a CustomRun that had no condition',
      baseline: { kind: 'CustomRun' },
      next: { kind: 'CustomRun', condition: 'Unknown/Any/' },
      want: 'running',
    },
  ];
  for (const { title, baseline, next, want } of afterBaseline) {
    it(`owes after a baseline ${title}`, () => {
      expect(lifeOf([next], svc.behaviour, baseline).map(({ events }) => events.join())).to.deep.equal([want]);
    });
  }

  const tektonLives: readonly { title: string; versions: readonly RunGiven[]; want: readonly string[] }[] = [
    { title: 'queued before a condition', versions: [{}, {}], want: ['queued', ''] },
    {
      title: 'started only under Started',
      versions: [{ condition: 'Unknown/Pending/' }, { condition: 'Unknown/Started/' }],
      want: ['unknown', 'started'],
    },
    {
      title: 'running once',
      versions: [{ condition: 'Unknown/Running/a' }, { condition: 'Unknown/Running/b' }],
      want: ['running', ''],
    },
    {
      title: 'unknown as often as it comes',
      versions: [{ condition: 'Unknown/A/' }, { condition: 'Unknown/B/' }],
      want: ['unknown', 'unknown'],
    },
    {
      title: 'running for any CustomRun in progress',
      versions: [{ kind: 'CustomRun', condition: 'Unknown/Started/' }],
      want: ['running'],
    },
  ];
  for (const { title, versions, want } of tektonLives) {
    it(`tells ${title} where the profile says so`, () => {
      expect(lifeOf(versions, tekton.behaviour).map(({ events }) => events.join())).to.deep.equal(want);
    });
  }

  const kubeLives: readonly { title: string; versions: readonly RunGiven[]; want: readonly string[] }[] = [
    {
      title: 'a TaskRun',
      versions: [{ condition: 'Unknown/Running/going' }, { condition: 'True/Succeeded/done' }],
      want: ['Normal Started ', 'Normal Succeeded done'],
    },
    {
      title: 'a PipelineRun',
      versions: [
        { kind: 'PipelineRun', condition: 'Unknown/Started/x' },
        { kind: 'PipelineRun', condition: 'Unknown/Running/go' },
        { kind: 'PipelineRun', condition: 'Unknown/Running/on' },
        { kind: 'PipelineRun', condition: 'False/Failed/no' },
      ],
      want: ['Normal Started ', 'Normal Running go', '', 'Warning Failed no'],
    },
    {
      title: 'a CustomRun',
      versions: [
        { kind: 'CustomRun', condition: 'Unknown/Running/' },
        { kind: 'CustomRun', condition: 'True/Done/' },
      ],
      want: ['', ''],
    },
    {
      title: 'any other change',
      versions: [{ condition: 'Unknown/Started/' }, { condition: 'Unknown/Pulling/' }],
      want: ['Normal Started ', ''],
    },
  ];
  for (const { title, versions, want } of kubeLives) {
    it(`writes Kubernetes Events for ${title} as section 6.1 names them`, () => {
      const written = lifeOf(versions).map(({ kubeEvents }) =>
        kubeEvents.map((one) => `${one.type} ${one.reason} ${one.message}`).join(),
      );
      expect(written).to.deep.equal(want);
    });
  }

  it("gives Kubernetes Events the condition's own reason where the profile says so", () => {
    const [step] = lifeOf([{ condition: 'False/TaskRunTimeout/late' }], tekton.behaviour);
    expect(step?.kubeEvents).to.deep.equal([
      { type: 'Warning', reason: 'TaskRunTimeout', message: 'late', word: 'failed' },
    ]);
  });

  it('counts a run once, when it first ends', () => {
    const versions = [
      { condition: 'False/Failed/' },
      { condition: 'Unknown/Running/' },
      { condition: 'True/Succeeded/' },
    ];
    expect(lifeOf(versions).map(({ finished }) => finished?.status)).to.deep.equal(['failed', undefined, undefined]);
  });

  it('never counts what had ended before we looked', () => {
    const steps = lifeOf([{ condition: 'True/Succeeded/x' }], svc.behaviour, { condition: 'True/Succeeded/' });
    expect(steps.map(({ finished }) => finished)).to.deep.equal([undefined]);
  });

  it('owes nothing for a run that is gone, and says what it was', () => {
    const { known } = observe(undefined, observed({ condition: 'Unknown/Running/' }), svc.behaviour);
    const step = forget(known);
    expect(step).to.include({ before: known.run, after: undefined, finished: undefined });
    expect([...step.events, ...step.kubeEvents]).to.deep.equal([]);
  });

  const under: RunGiven = { condition: 'Unknown/Running/', at: '2026-01-01T00:00:10Z' };
  const ended: RunGiven = { condition: 'True/Succeeded/', version: 2, at: '2026-01-01T00:00:20Z' };
  const knownOf = (given: RunGiven) => observe(undefined, observed(given), svc.behaviour).known;

  describe('observeRecovered', () => {
    const recovered = (given: RunGiven, since: string) =>
      observeRecovered(knownOf(under), observed(given), {
        behaviour: svc.behaviour,
        sinceMs: Date.parse(`2026-01-01T${since}Z`),
      });

    it('owes a change that is later than what was seen last, as synthesized', () => {
      const { known, step } = recovered(ended, '00:00:19');
      expect(step.synthesized).to.equal(true);
      expect(step.before).to.deep.equal(knownOf(under).run);
      expect(step.events).to.deep.equal(['successful']);
      expect([step.finished?.status, known.counted]).to.deep.equal(['success', true]);
    });

    it('owes nothing for a change at or before it', () => {
      const { known, step } = recovered(ended, '00:00:20');
      expect(step).to.include({ synthesized: false, finished: undefined });
      expect(step.events).to.deep.equal([]);
      expect(known.counted).to.equal(true);
    });

    it('owes nothing for a run without a condition, which tells no time', () => {
      expect(recovered({ version: 2 }, '00:00:00').step.events).to.deep.equal([]);
    });
  });

  describe('observeTold', () => {
    it('owes no event, and counts an end that was not counted before', () => {
      const { known, step } = observeTold(undefined, knownOf(under), observed(ended));
      expect([step.events, step.kubeEvents]).to.deep.equal([[], []]);
      expect([step.before, step.finished?.status]).to.deep.equal([undefined, 'success']);
      expect(known).to.deep.equal({ run: observed(ended).run, told: knownOf(under).told, counted: true });
    });

    it('does not count again what either life has counted', () => {
      const [counted, open] = [knownOf(ended), knownOf(under)];
      expect(observeTold(undefined, counted, observed(ended)).step.finished).to.equal(undefined);
      const { known, step } = observeTold(counted, open, observed(ended));
      expect(step).to.include({ before: counted.run, finished: undefined });
      expect(known.counted).to.equal(true);
    });

    it('leaves a run under way to be counted later', () => {
      const { known, step } = observeTold(undefined, knownOf(under), observed(under));
      expect([known.counted, step.finished]).to.deep.equal([false, undefined]);
    });
  });

  describe('recall', () => {
    it('takes a run into the gauges and owes nothing', () => {
      const known = knownOf(ended);
      const silent = { events: [], kubeEvents: [], synthesized: false, finished: undefined, observed: undefined };
      expect(recall(undefined, known)).to.deep.equal({ before: undefined, after: known.run, ...silent });
      expect(recall(knownOf(under), known)).to.deep.equal({ before: knownOf(under).run, after: known.run, ...silent });
    });
  });

  it('tells the same of any observed versions, with or without repeats among them', () => {
    const condition = fc.constantFrom(
      undefined,
      'Unknown/Started/',
      'Unknown/Running/',
      'Unknown/Running/x',
      'Unknown/Pending/',
      'True/Succeeded/',
      'False/Failed/',
    );
    const version = fc.record({ condition, parked: fc.boolean(), repeats: fc.integer({ min: 1, max: 3 }) });
    const kind = fc.constantFrom('TaskRun' as const, 'PipelineRun' as const, 'CustomRun' as const);
    fc.assert(
      fc.property(kind, fc.array(version, { maxLength: 8 }), (ofKind, versions) => {
        const plain = versions.map(
          (one, index): RunGiven => ({
            kind: ofKind,
            version: index + 2,
            spec: one.parked ? { status: `${ofKind}Pending` } : {},
            ...(one.condition === undefined ? {} : { condition: one.condition }),
          }),
        );
        const repeated = plain.flatMap((given, index) =>
          Array.from({ length: versions[index]?.repeats ?? 1 }, () => given),
        );
        const told = (steps: Step[]) =>
          steps.flatMap(({ after, events }) => events.map((word) => `${word}@${after?.resourceVersion}`));
        expect(told(lifeOf(repeated))).to.deep.equal(told(lifeOf(plain)));
        const counted = (steps: Step[]) => steps.filter(({ finished }) => finished !== undefined).length;
        expect(counted(lifeOf(repeated)))
          .to.equal(counted(lifeOf(plain)))
          .and.to.be.at.most(1);
      }),
    );
  });
});
