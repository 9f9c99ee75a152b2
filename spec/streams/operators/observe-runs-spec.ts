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
    if (note.type !== 'step') return `${note.type} ${note.resourceVersion} (${note.retained})`;
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
      want: ['u1 1 nothing', 'listed 100 (1)'],
    },
    {
      title: 'tells what comes after it',
      events: [relisting, listed, applied({ condition: 'True/Succeeded/' })],
      want: ['listed 100 (0)', 'u1 1 successful'],
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
        'listed 100 (3)',
        'changed 2 successful',
        'new 3 failed',
        'gone vanished',
        'listed 100 (3)',
      ],
    },
    {
      title: 'forgets nobody when a list breaks off and begins again',
      events: [relisting, applied({ uid: 'a' }), listed, relisting, relisting, applied({ uid: 'a' }), listed],
      want: ['a 1 nothing', 'listed 100 (1)', 'listed 100 (1)'],
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
      want: ['listed 100 (0)', 'u1 1 started,running', 'gone u1', 'u1 3 started,running'],
    },
    {
      title: 'is silent about a deleted run it never saw',
      events: [relisting, listed, deleted({})],
      want: ['listed 100 (0)'],
    },
    {
      title: 'passes bookmarks on',
      events: [relisting, listed, { type: 'bookmark', resourceVersion: '120' }],
      want: ['listed 100 (0)', 'reached 120 (0)'],
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
      want: ['listed 100 (0)', 'u1 1 successful', 'absent', 'listed 100 (1)'],
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
      want: ['absent', 'old 1 nothing', 'new 1 successful', 'listed 100 (2)'],
    },
    {
      title: 'takes a list at the mark as what was told already',
      events: [
        { type: 'absent' },
        { type: 'relisting', at: 'mark' },
        applied({ condition: 'True/Succeeded/' }),
        listed,
      ],
      want: ['absent', 'u1 1 nothing', 'listed 100 (1)'],
    },
  ];
  for (const { title, events, want } of rows) {
    it(title, async () => {
      expect(await told(events)).to.deep.equal(want);
    });
  }

  it(
    'begins anew for each subscriber and passes errors through',
    marbles(({ cold, expectObservable }) => {
      const source$ = cold<Event>('l-#', { l: listed }).pipe(observeRuns(options));
      const want = { l: { type: 'listed' as const, resourceVersion: '100', retained: 0 } };
      expectObservable(source$).toBe('l-#', want);
      expectObservable(source$).toBe('l-#', want);
    }),
  );

  it(
    'unsubscribes from its source',
    marbles(({ hot, expectObservable, expectSubscriptions }) => {
      const event$ = hot<Event>('--l--', { l: listed });
      expectObservable(event$.pipe(observeRuns(options)), '---!').toBe('--l-', {
        l: { type: 'listed', resourceVersion: '100', retained: 0 },
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
