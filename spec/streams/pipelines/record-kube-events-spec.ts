import { expect } from 'chai';
import { Subject } from 'rxjs';
import type { Resource } from '../../../lib/run/run.ts';
import type { OwedKubeEvent, Step } from '../../../lib/run/step.ts';
import { recordKubeEvents } from '../../../streams/pipelines/record-kube-events.ts';
import { observed, svc } from '../../support/runs.ts';

const options = {
  profile: svc,
  uuid5: (name: string) => `id-${name.length}`,
  reporter: { component: 'svc-pipelines-controller', instance: 'controller-0' },
  now: () => 0,
};
const started: OwedKubeEvent = { type: 'Normal', reason: 'Started', message: '', word: 'started' };

function step(name: string, kubeEvents: readonly OwedKubeEvent[]): Step {
  const seen = observed({ name, condition: 'Unknown/Running/' });
  return {
    before: undefined,
    after: seen.run,
    observed: seen,
    events: [],
    kubeEvents,
    synthesized: false,
    finished: undefined,
  };
}

describe('recordKubeEvents', () => {
  it('hands over every Event that is owed, in order, and emits nothing', () => {
    const step$ = new Subject<Step>();
    const recorded: unknown[] = [];
    const emitted: unknown[] = [];
    const record = (uid: string, make: () => Resource) => {
      const { reason, involvedObject } = make();
      recorded.push([uid, reason, (involvedObject as Resource).name]);
    };
    const running: OwedKubeEvent = { ...started, reason: 'Running', word: 'running' };
    recordKubeEvents(step$, { ...options, record }).subscribe((value) => emitted.push(value));
    step$.next(step('a', [started, running]));
    step$.next(step('b', []));
    step$.next({ ...step('c', [started]), observed: undefined });
    step$.next(step('d', [started]));
    expect(recorded).to.deep.equal([
      ['u1', 'Started', 'a'],
      ['u1', 'Running', 'a'],
      ['u1', 'Started', 'd'],
    ]);
    expect(emitted).to.deep.equal([]);
  });

  it('ends and errors as the steps do', () => {
    const ends: unknown[] = [];
    const record = () => {};
    for (const end of [(step$: Subject<Step>) => step$.complete(), (step$: Subject<Step>) => step$.error('lost')]) {
      const step$ = new Subject<Step>();
      const complete = () => ends.push('complete');
      recordKubeEvents(step$, { ...options, record }).subscribe({ complete, error: (error) => ends.push(error) });
      end(step$);
    }
    expect(ends).to.deep.equal(['complete', 'lost']);
  });
});
