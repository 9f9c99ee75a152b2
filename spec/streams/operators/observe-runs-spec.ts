import { expect } from 'chai';
import fc from 'fast-check';
import { from, lastValueFrom, toArray } from 'rxjs';
import type { WatchEvent } from '../../../lib/kube/watch-event.ts';
import type { Observed } from '../../../lib/run/run.ts';
import { observeRuns, type Resume } from '../../../streams/operators/observe-runs.ts';
import { marbles } from '../../support/marbles.ts';
import { observed, type RunGiven, svc } from '../../support/runs.ts';

type Event = WatchEvent<Observed>;

const options = { behaviour: svc.behaviour, sinceMs: Date.parse('2026-01-01T00:00:00Z') };
const relisting: Event = { type: 'relisting', at: 'present' };
const listed: Event = { type: 'listed', resourceVersion: '100' };
const applied = (given: RunGiven): Event => ({ type: 'applied', object: observed(given) });
const deleted = (given: RunGiven): Event => ({ type: 'deleted', object: observed(given) });

/** What is said of these events: `uid version words`, `gone uid`, or the note's own name. */
async function told(events: readonly Event[], resume?: Resume): Promise<string[]> {
  const notes = await lastValueFrom(from(events).pipe(observeRuns({ ...options, resume }), toArray()));
  return notes.map((note) => {
    if (note.type === 'absent') return 'absent';
    if (note.type !== 'step') return `${note.type} ${note.resourceVersion}`;
    const { before, after, events: words } = note.step;
    if (after === undefined) return `gone ${before?.uid}`;
    return `${after.uid} ${after.resourceVersion} ${words.join() || 'nothing'}`;
  });
}

describe('observeRuns', () => {
  const rows: readonly { title: string; events: readonly Event[]; want: readonly string[] }[] = [
    {
      title: 'takes the first list as baseline',
      events: [relisting, applied({ condition: 'True/Succeeded/' }), listed],
      want: ['u1 1 nothing', 'listed 100'],
    },
    {
      title: 'tells what comes after it',
      events: [relisting, listed, applied({ condition: 'True/Succeeded/' })],
      want: ['listed 100', 'u1 1 successful'],
    },
    {
      title: 'takes a later list as a difference',
      events: [
        relisting,
        applied({ uid: 'same', condition: 'Unknown/Running/' }),
        applied({ uid: 'changed', condition: 'Unknown/Running/' }),
        applied({ uid: 'vanished', condition: 'Unknown/Running/' }),
        listed,
        relisting,
        applied({ uid: 'same', condition: 'Unknown/Running/' }),
        applied({ uid: 'changed', version: 2, condition: 'True/Succeeded/' }),
        applied({ uid: 'new', version: 3, condition: 'False/Failed/' }),
        listed,
      ],
      want: [
        'same 1 nothing',
        'changed 1 nothing',
        'vanished 1 nothing',
        'listed 100',
        'changed 2 successful',
        'new 3 failed',
        'gone vanished',
        'listed 100',
      ],
    },
    {
      title: 'forgets nobody when a list breaks off and begins again',
      events: [relisting, applied({ uid: 'a' }), listed, relisting, relisting, applied({ uid: 'a' }), listed],
      want: ['a 1 nothing', 'listed 100', 'listed 100'],
    },
    {
      title: 'forgets a deleted run, so that one made again starts fresh',
      events: [
        relisting,
        listed,
        applied({ condition: 'Unknown/Running/' }),
        deleted({ version: 2 }),
        applied({ version: 3, condition: 'Unknown/Running/' }),
      ],
      want: ['listed 100', 'u1 1 started,running', 'gone u1', 'u1 3 started,running'],
    },
    {
      title: 'is silent about a deleted run it never saw',
      events: [relisting, listed, deleted({})],
      want: ['listed 100'],
    },
    {
      title: 'passes bookmarks on',
      events: [relisting, listed, { type: 'bookmark', resourceVersion: '120' }],
      want: ['listed 100', 'reached 120'],
    },
    {
      title: 'keeps runs while their kind is absent, and is silent when it comes back with them unchanged',
      events: [
        relisting,
        listed,
        applied({ condition: 'True/Succeeded/' }),
        { type: 'absent' },
        relisting,
        applied({ condition: 'True/Succeeded/' }),
        listed,
      ],
      want: ['listed 100', 'u1 1 successful', 'absent', 'listed 100'],
    },
    {
      title: 'tells runs of a kind that appeared later, but not those from before its own start',
      events: [
        { type: 'absent' },
        relisting,
        applied({ uid: 'old', created: '2025-12-31T23:00:00Z', condition: 'True/Succeeded/' }),
        applied({ uid: 'new', created: '2026-01-01T00:00:01Z', condition: 'True/Succeeded/' }),
        listed,
      ],
      want: ['absent', 'old 1 nothing', 'new 1 successful', 'listed 100'],
    },
    {
      title: 'takes a list at the mark as what was told already',
      events: [
        { type: 'absent' },
        { type: 'relisting', at: 'mark' },
        applied({ condition: 'True/Succeeded/' }),
        listed,
      ],
      want: ['absent', 'u1 1 nothing', 'listed 100'],
    },
  ];
  for (const { title, events, want } of rows) {
    it(title, async () => {
      expect(await told(events)).to.deep.equal(want);
    });
  }

  const resume: Resume = { countedTo: '5', greatestTransitionMs: Date.parse('2026-01-01T01:00:00Z') };
  const afterLoss: Event = { type: 'relisting', at: 'after-loss' };
  const stepsOf = async (events: readonly Event[], more: Partial<Resume> = {}) => {
    const resumed = { ...options, resume: { ...resume, ...more } };
    const notes = await lastValueFrom(from(events).pipe(observeRuns(resumed), toArray()));
    return notes.flatMap((note) => (note.type === 'step' ? [note.step] : []));
  };

  it('owes after a loss the present state of what changed since, ten minutes of doubt included', async () => {
    const late = applied({ uid: 'late', condition: 'True/Succeeded/', at: '2026-01-01T00:50:01Z' });
    const early = applied({ uid: 'early', condition: 'True/Succeeded/', at: '2026-01-01T00:50:00Z' });
    const going = applied({ uid: 'going', condition: 'Unknown/Running/', at: '2026-01-01T01:30:00Z' });
    const want = ['late 1 successful', 'early 1 nothing', 'going 1 started,running', 'listed 100'];
    expect(await told([afterLoss, late, early, going, listed], resume)).to.deep.equal(want);
    expect(await told([afterLoss, late, listed])).to.deep.equal(['late 1 nothing', 'listed 100']);
  });

  it('marks as synthesized only what it owes from that list', async () => {
    const going = applied({ condition: 'Unknown/Running/', at: '2026-01-01T01:30:00Z' });
    const steps = await stepsOf([afterLoss, going, listed, applied({ version: 2, condition: 'True/Succeeded/' })]);
    expect(steps.map(({ synthesized }) => synthesized)).to.deep.equal([true, false]);
  });

  it('does not count again what ended up to the version that was counted', async () => {
    const steps = await stepsOf([
      { type: 'relisting', at: 'mark' },
      listed,
      applied({ uid: 'counted', version: 5, condition: 'True/Succeeded/' }),
      applied({ uid: 'fresh', version: 6, condition: 'True/Succeeded/' }),
      applied({ uid: 'counted', version: 7, condition: 'True/Succeeded/again' }),
    ]);
    const counted = steps.map(({ after, finished }) => `${after?.uid} ${finished?.status}`);
    expect(counted).to.deep.equal(['counted undefined', 'fresh success', 'counted undefined']);
    expect(steps.map(({ events }) => events.join())).to.deep.equal(['successful', 'successful', 'successful']);
  });

  it('counts again from where a server was put back to, whose versions mean other things now', async () => {
    const steps = await stepsOf([
      { type: 'relisting', at: 'mark' },
      { type: 'listed', resourceVersion: '3' },
      applied({ uid: 'counted', version: 4, condition: 'True/Succeeded/' }),
      relisting,
      { type: 'listed', resourceVersion: '2' },
      applied({ uid: 'fresh', version: 4, condition: 'True/Succeeded/' }),
    ]);
    const ended = steps.filter(({ after }) => after !== undefined);
    expect(ended.map(({ finished }) => finished?.status)).to.deep.equal([undefined, 'success']);
  });

  it('counts again also where the list shows a version of before', async () => {
    const steps = await stepsOf([
      { type: 'relisting', at: 'mark' },
      { type: 'listed', resourceVersion: '3' },
      applied({ uid: 'counted', version: 4, condition: 'True/Succeeded/' }),
      { type: 'relisting', at: 'mark' },
      { type: 'listed', resourceVersion: '2' },
      applied({ uid: 'fresh', version: 4, condition: 'True/Succeeded/' }),
    ]);
    const ended = steps.filter(({ after }) => after !== undefined);
    expect(ended.map(({ finished }) => finished?.status)).to.deep.equal([undefined, 'success']);
  });

  it('counts again also where the server was put back before the first list was there', async () => {
    const fresh = applied({ uid: 'fresh', version: 4, condition: 'True/Succeeded/' });
    const steps = await stepsOf([{ type: 'relisting', at: 'mark' }, { type: 'listed', resourceVersion: '3' }, fresh], {
      reached: '5',
    });
    expect(steps.map(({ finished }) => finished?.status)).to.deep.equal(['success']);
  });

  it('owes nothing of what a server that was put back says of before, and all of its second past', async () => {
    const one = { uid: 'u1', version: 4 };
    const other = { uid: 'u2', version: 5 };
    expect(
      await told([
        relisting,
        { type: 'listed', resourceVersion: '3' },
        applied({ ...one, condition: 'Unknown/Running/' }),
        applied({ ...other, condition: 'True/Succeeded/' }),
        deleted({ ...other, version: 6 }),
        applied({ ...one, version: 7, condition: 'True/Succeeded/undone' }),
        { type: 'relisting', at: 'mark' },
        applied({ ...one, version: 5, condition: 'Unknown/Running/' }),
        applied({ ...other, condition: 'True/Succeeded/' }),
        { type: 'listed', resourceVersion: '5' },
        applied({ ...one, version: 7, condition: 'True/Succeeded/again' }),
      ]),
    ).to.deep.equal([
      'listed 3',
      'u1 4 started,running',
      'u2 5 successful',
      'gone u2',
      'u1 7 successful',
      'u1 5 nothing',
      'u2 5 nothing',
      'listed 5',
      'u1 7 successful',
    ]);
  });

  it('counts and tells again an end that was undone, also where only the present can be listed', async () => {
    const one = { uid: 'u1' };
    const steps = await stepsOf([
      relisting,
      { type: 'listed', resourceVersion: '3' },
      applied({ ...one, version: 4, condition: 'Unknown/Running/' }),
      applied({ ...one, version: 7, condition: 'True/Succeeded/undone' }),
      { type: 'relisting', at: 'after-loss' },
      applied({ ...one, version: 4, condition: 'Unknown/Running/' }),
      { type: 'listed', resourceVersion: '900' },
      applied({ ...one, version: 901, condition: 'True/Succeeded/again' }),
    ]);
    expect(steps.map(({ events, finished }) => `${events} ${finished?.status}`)).to.deep.equal([
      'started,running undefined',
      'successful success',
      ' undefined',
      'successful success',
    ]);
  });

  it('says how far the watch has come, but not within a list', async () => {
    const second = { uid: 'u2', version: 101 };
    const events = [relisting, applied({ version: 9 }), listed, applied(second), deleted({ ...second, version: 102 })];
    const notes = await lastValueFrom(from(events).pipe(observeRuns(options), toArray()));
    const reached = notes.map((note) => (note.type === 'step' ? note.reached : note.type));
    expect(reached).to.deep.equal([undefined, 'listed', '101', '102']);
  });

  it(
    'begins anew for each subscriber and passes errors through',
    marbles(({ cold, expectObservable }) => {
      const source$ = cold<Event>('l-#', { l: listed }).pipe(observeRuns(options));
      const want = { l: { type: 'listed' as const, resourceVersion: '100' } };
      expectObservable(source$).toBe('l-#', want);
      expectObservable(source$).toBe('l-#', want);
    }),
  );

  it(
    'unsubscribes from its source',
    marbles(({ hot, expectObservable, expectSubscriptions }) => {
      const event$ = hot<Event>('--l--', { l: listed });
      expectObservable(event$.pipe(observeRuns(options)), '---!').toBe('--l-', {
        l: { type: 'listed', resourceVersion: '100' },
      });
      expectSubscriptions(event$.subscriptions).toBe('^--!');
    }),
  );

  it('tells the same transitions through gaps and relists as from the versions it observed alone', async () => {
    const condition = fc.constantFrom(
      'Unknown/Started/',
      'Unknown/Running/',
      'Unknown/Running/x',
      'True/Succeeded/',
      'False/Failed/',
    );
    const history = fc.array(
      fc.record({ condition, how: fc.constantFrom('watched', 'missed', 'relisted', 'repeated') }),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(history, async (versions) => {
        const seen = versions
          .map((one, index) => ({ how: one.how, event: applied({ condition: one.condition, version: index + 1 }) }))
          .filter(({ how }) => how !== 'missed');
        const bumpy = seen.flatMap(({ how, event }) => {
          if (how === 'relisted') return [relisting, event, listed];
          return how === 'repeated' ? [event, event] : [event];
        });
        const smooth = seen.map(({ event }) => event);
        const steps = async (events: readonly Event[]) =>
          (await told([relisting, listed, ...events])).filter(
            (line) => !line.startsWith('listed') && !line.endsWith('nothing'),
          );
        expect(await steps(bumpy)).to.deep.equal(await steps(smooth));
      }),
    );
  });
});
