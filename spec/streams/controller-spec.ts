import { expect } from 'chai';
import { BehaviorSubject, merge, type Observable, of, ReplaySubject, Subject, type Subscription, tap } from 'rxjs';
import sinon from 'sinon';
import { defaultSettings } from '../../config/default-settings.ts';
import type { Settings } from '../../config/settings.ts';
import type { SettingsState, SinkState } from '../../config/settings-state.ts';
import type { OutgoingEvent } from '../../lib/events/outgoing.ts';
import type { Role } from '../../lib/leader/lease.ts';
import type { Kind } from '../../lib/run/kind.ts';
import { type Known, observe } from '../../lib/run/observe.ts';
import type { Step } from '../../lib/run/step.ts';
import type { SyncState } from '../../lib/sync-state.ts';
import { controller, type Effects } from '../../streams/controller.ts';
import type { RunNote } from '../../streams/operators/observe-runs.ts';
import { outgoing } from '../support/outgoing.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { type RecordedMeasure, recordedMeasure } from '../support/recorded-measure.ts';
import { observed, type RunGiven, svc } from '../support/runs.ts';

const defaults = defaultSettings(svc);

function settingsWith(
  change: Partial<Settings> = {},
  sink: SinkState = { state: 'sink', url: 'http://sink/' },
): SettingsState {
  return { settings: { ...defaults, ...change }, sink, maps: {} as SettingsState['maps'] };
}

/** A step of a run through a version, as an operator would make it. */
function stepOf(given: RunGiven, before?: Known): Step {
  return observe(before, observed(given), svc.behaviour).step;
}

const note = (given: RunGiven): RunNote => ({ type: 'step', step: stepOf(given), reached: String(given.version ?? 1) });

describe('controller', () => {
  let said: string[];
  let may: boolean;
  let settings$: ReplaySubject<SettingsState>;
  let role$: BehaviorSubject<Role>;
  let terms: number;
  let measure: RecordedMeasure;
  let pending: readonly OutgoingEvent[];
  let notes: Record<'taskruns' | 'customruns', Subject<RunNote>>;
  const log = recordedLog();

  const effects: Effects = {
    metrics: {
      apply: ({ taskrunLevel }) => void said.push(`level ${taskrunLevel}`),
      record: ({ after }) => void said.push(`record ${after?.name}`),
      setRunGauges: (kind: Kind, visible) => void said.push(`gauges ${kind} ${visible}`),
      forgetAll: (kind: Kind) => void said.push(`forget ${kind}`),
    },
    outgoing: ({ after, events }) =>
      events.map((word) => ({ ...outgoing({ word, source: after?.name ?? '' }), kind: after?.kind ?? 'TaskRun' })),
    deliver: (event$: Observable<readonly OutgoingEvent[]>, sink$: Observable<SinkState>) =>
      merge(
        sink$.pipe(tap((sink) => void said.push(`sink ${sink.state}`))),
        event$.pipe(tap((all) => void said.push(...all.map(({ subject, word }) => `send ${subject} ${word}`)))),
      ),
    recordKubeEvents: (step$) =>
      step$.pipe(tap(({ kubeEvents }) => void said.push(...kubeEvents.map(({ reason }) => `write ${reason}`)))),
    progress: ({ watch, note: { type } }, events) => void said.push(`progress ${watch.key} ${type} ${events.length}`),
    mayAct: () => may,
    onSync: (sync) => void said.push(sync === undefined ? 'term over' : 'term'),
  };

  let running: Subscription;
  const start = (more: Partial<Effects> = {}) => {
    const watch = (kind: Kind, key: 'taskruns' | 'customruns') => ({ kind, key, namespace: '', note$: notes[key] });
    const begin = () => {
      terms += 1;
      return { watches: [watch('TaskRun', 'taskruns'), watch('CustomRun', 'customruns')], pending$: of(pending) };
    };
    running = controller({
      ...{ settings$, role$, begin, measure, log },
      effects: { ...effects, ...more },
      random: () => 1,
    }).subscribe();
  };
  /** What was said since the last time. */
  const news = () => said.splice(0);

  beforeEach(() => {
    [said, may, terms, pending] = [[], true, 0, []];
    measure = recordedMeasure();
    settings$ = new ReplaySubject(1);
    role$ = new BehaviorSubject<Role>('leading');
    notes = { taskruns: new Subject(), customruns: new Subject() };
  });
  afterEach(() => running.unsubscribe());

  it('reads no run before the settings are there', () => {
    start();
    expect([terms, notes.taskruns.observed]).to.deep.equal([0, false]);
    settings$.next(settingsWith());
    expect([terms, notes.taskruns.observed]).to.deep.equal([1, true]);
    expect(news()).to.deep.equal(['level task', 'term', 'sink sink']);
  });

  it('counts, then notes as owed, then sends and writes', () => {
    settings$.next(settingsWith());
    start();
    news();
    notes.taskruns.next(note({ name: 'build', condition: 'Unknown/Running/' }));
    const want = [
      'record build',
      'progress taskruns step 2',
      'send build started',
      'send build running',
      'write Started',
    ];
    expect(news()).to.deep.equal(want);
  });

  it('shows the gauges of a kind once it is synced, and says once that all are', () => {
    settings$.next(settingsWith());
    start();
    news();
    notes.taskruns.next({ type: 'listed', resourceVersion: '5' });
    expect(news()).to.deep.equal(['gauges TaskRun true', 'progress taskruns listed 0']);
    expect(log.lines.map(({ sentence }) => sentence)).not.to.include('synced');
    notes.customruns.next({ type: 'absent' });
    notes.taskruns.next({ type: 'listed', resourceVersion: '6' });
    expect(log.lines.filter(({ sentence }) => sentence === 'synced')).to.have.length(1);
  });

  it('takes new metrics settings at once, and only when they changed', () => {
    const first = settingsWith();
    settings$.next(first);
    start();
    news();
    settings$.next({ ...first, sink: { state: 'none' } });
    expect(news()).to.deep.equal(['sink none']);
    settings$.next(
      settingsWith(
        { 'config-observability': { ...defaults['config-observability'], taskrunLevel: 'namespace' } },
        { state: 'none' },
      ),
    );
    expect(news()).to.deep.equal(['level namespace']);
  });

  it('sends events of CustomRuns only while the flag says so', () => {
    settings$.next(settingsWith());
    start();
    news();
    const custom = (name: string) => note({ kind: 'CustomRun', name });
    notes.customruns.next(custom('a'));
    settings$.next(settingsWith({ 'feature-flags': { sendCloudEventsForRuns: true } }));
    notes.customruns.next(custom('b'));
    expect(news().filter((line) => line.startsWith('send'))).to.deep.equal(['send b started']);
  });

  it('sends what the term before left before anything new', () => {
    pending = [outgoing({ source: 'old', word: 'failed' })];
    settings$.next(settingsWith());
    start();
    notes.taskruns.next(note({ name: 'new', condition: 'True/Succeeded/' }));
    expect(news().filter((line) => line.startsWith('send'))).to.deep.equal(['send old failed', 'send new successful']);
  });

  it('does nothing on a standby, and leaves nothing behind when deposed', () => {
    role$.next('standby');
    settings$.next(settingsWith());
    start();
    expect([terms, news()]).to.deep.equal([0, ['level task']]);
    role$.next('leading');
    expect(terms).to.equal(1);
    notes.taskruns.next(note({ name: 'build', condition: 'Unknown/Running/' }));
    expect(measure.gauges.get('retained_runs{resource="taskruns"}')).to.equal(1);
    news();
    role$.next('standby');
    expect(measure.gauges.get('retained_runs{resource="taskruns"}')).to.equal(0);
    expect(notes.taskruns.observed).to.equal(false);
    const kinds = ['TaskRun', 'PipelineRun', 'CustomRun'];
    expect(news()).to.deep.equal(['term over', ...kinds.flatMap((kind) => [`gauges ${kind} false`, `forget ${kind}`])]);
    role$.next('leading');
    expect(terms).to.equal(2);
  });

  it('holds everything while the lease has lapsed, and goes on where it was when it is back', () => {
    settings$.next(settingsWith());
    start();
    news();
    may = false;
    notes.taskruns.next(note({ name: 'build', condition: 'True/Succeeded/' }));
    expect(news()).to.deep.equal([]);
    role$.next('lapsed');
    expect(news()).to.deep.equal(['sink paused']);
    may = true;
    role$.next('leading');
    expect(terms).to.equal(1);
    expect(news()).to.have.members([
      'sink sink',
      'record build',
      'progress taskruns step 1',
      'send build successful',
      'write Succeeded',
    ]);
  });

  it('begins again when a watch breaks, later each time, and only while it leads', () => {
    const clock = sinon.useFakeTimers({ now: 0 });
    try {
      settings$.next(settingsWith());
      start();
      const breaks = () => {
        const broken = notes.taskruns;
        notes = { taskruns: new Subject(), customruns: new Subject() };
        broken.error(new Error('a bug'));
      };
      for (const [count, delayMs] of [800, 1600, 3200].entries()) {
        breaks();
        clock.tick(delayMs - 1);
        expect(terms).to.equal(count + 1);
        clock.tick(1);
        expect([terms, notes.taskruns.observed]).to.deep.equal([count + 2, true]);
      }
      expect(measure.counts.get('term_restarts_total')).to.equal(3);
      role$.next('lapsed');
      breaks();
      clock.tick(6400);
      expect(terms).to.equal(4);
      role$.next('leading');
      expect(terms).to.equal(5);
    } finally {
      clock.restore();
    }
  });

  it('begins again soon when the last bug was long ago', () => {
    const clock = sinon.useFakeTimers({ now: 0 });
    try {
      settings$.next(settingsWith());
      start();
      for (const quietMs of [0, 120_001]) {
        clock.tick(quietMs);
        const before = terms;
        const broken = notes.taskruns;
        notes = { taskruns: new Subject(), customruns: new Subject() };
        broken.error(new Error('a bug'));
        clock.tick(800);
        expect(terms).to.equal(before + 1);
      }
    } finally {
      clock.restore();
    }
  });

  it('counts a kind as listed again that was absent for a moment and is watched on', () => {
    let sync: SyncState | undefined;
    settings$.next(settingsWith());
    start({ onSync: (next) => (sync = next ?? sync) });
    notes.taskruns.next({ type: 'listed', resourceVersion: '1' });
    notes.taskruns.next({ type: 'absent' });
    expect(sync?.state('taskruns')).to.equal('absent');
    notes.taskruns.next({ type: 'reached', resourceVersion: '2' });
    expect(sync?.state('taskruns')).to.equal('listed');
  });

  it('says once that a condition is odd or gone', () => {
    settings$.next(settingsWith());
    start();
    const strange = observe(undefined, observed({ name: 'odd', condition: 'Maybe/' }), svc.behaviour);
    const again = observe(strange.known, observed({ name: 'odd', condition: 'Maybe/', version: 2 }), svc.behaviour);
    const going = observe(undefined, observed({ name: 'going', condition: 'Unknown/Running/' }), svc.behaviour);
    const gone = observe(going.known, observed({ name: 'going', version: 2 }), svc.behaviour);
    for (const { step } of [strange, again, going, gone]) notes.taskruns.next({ type: 'step', step, reached: '1' });
    const told = log.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields.name);
    expect(told).to.deep.equal(['odd', 'going']);
  });
});
