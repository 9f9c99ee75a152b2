import { expect } from 'chai';
import { from, lastValueFrom, toArray } from 'rxjs';
import type { WatchEvent } from '../../../lib/kube/watch-event.ts';
import { type Known, observe } from '../../../lib/run/observe.ts';
import type { Observed } from '../../../lib/run/run.ts';
import { observeRuns } from '../../../streams/operators/observe-runs.ts';
import { observed, type RunGiven, svc } from '../../support/runs.ts';

type Event = WatchEvent<Observed>;

const options = { behaviour: svc.behaviour, sinceMs: Date.parse('2026-01-01T00:00:00Z') };
const resume = { countedTo: '100', greatestTransitionMs: Date.parse('2027-01-01T00:00:00Z') };
const listing = (at: 'present' | 'mark' | 'after-loss'): Event => ({ type: 'relisting', at });
const listed: Event = { type: 'listed', resourceVersion: '50' };
const applied = (given: RunGiven): Event => ({ type: 'applied', object: observed(given) });
const deleted = (given: RunGiven): Event => ({ type: 'deleted', object: observed(given) });

/** What was told of a run when it was last seen like this. */
const toldOf = (given: RunGiven, counted?: boolean): Known => {
  const { known } = observe(undefined, observed(given), svc.behaviour);
  return { ...known, counted: counted ?? known.counted };
};

async function notes(table: readonly Known[] | undefined, events: readonly Event[]) {
  const known = () => table?.map((one) => [one.run.uid, one] as const);
  return lastValueFrom(from(events).pipe(observeRuns({ ...options, resume, known }), toArray()));
}

/** `uid version words`, `!` when synthesized, `#` when counted, `*` when it is to be kept. */
async function said(table: readonly Known[] | undefined, events: readonly Event[]): Promise<string[]> {
  return (await notes(table, events)).map((note) => {
    if (note.type === 'absent') return 'absent';
    if (note.type !== 'step') return `${note.type} ${note.resourceVersion}`;
    const { before, after, events: words, synthesized, finished } = note.step;
    if (after === undefined) return `gone ${before?.uid}`;
    const marks = `${synthesized ? '!' : ''}${finished ? '#' : ''}${note.known ? '*' : ''}`;
    return `${after.uid} ${after.resourceVersion} ${words.join() || 'nothing'}${marks}`;
  });
}

const running = { version: 40, condition: 'Unknown/Running/' };
const done = { condition: 'True/Succeeded/', completed: '2026-01-01T00:01:00Z' };

describe('observeRuns with a told table', () => {
  const rows: readonly {
    title: string;
    table?: readonly Known[];
    events: readonly Event[];
    want: readonly string[];
  }[] = [
    {
      title: 'asks for every run to be kept at first sight, and then when there is more to say',
      events: [
        listing('present'),
        applied({ version: 1 }),
        listed,
        applied({ version: 2, condition: 'Unknown/Running/' }),
        applied({ version: 3, condition: 'Unknown/Running/' }),
        applied({ version: 4, ...done }),
      ],
      want: ['u1 1 nothing*', 'listed 50', 'u1 2 started,running*', 'u1 3 nothing', 'u1 4 successful*'],
    },
    {
      title: 'tells after a loss exactly what is news, however old',
      table: [toldOf(running), toldOf({ uid: 'u2', ...running }), toldOf({ uid: 'u3', version: 41, ...done })],
      events: [
        listing('after-loss'),
        applied(running),
        applied({ uid: 'u2', version: 120, ...done }),
        applied({ uid: 'u3', version: 41, ...done }),
        applied({ uid: 'u4', version: 121, condition: 'Unknown/Running/' }),
        listed,
      ],
      want: [
        'u1 40 nothing',
        'u2 40 nothing',
        'u2 120 successful!#*',
        'u3 41 nothing',
        'u4 121 started,running!*',
        'listed 50',
      ],
    },
    {
      title: 'falls back to transition times after a loss without a complete table',
      events: [listing('after-loss'), applied({ version: 120, ...done }), listed],
      want: ['u1 120 nothing*', 'listed 50'],
    },
    {
      title: 'passes over what was told already when the past is replayed',
      table: [toldOf({ version: 60, condition: 'Unknown/Running/' })],
      events: [
        listing('mark'),
        applied({ version: 45, condition: 'Unknown/Pending/' }),
        listed,
        applied({ version: 55, condition: 'Unknown/Other/' }),
        applied({ version: 60, condition: 'Unknown/Running/' }),
        applied({ version: 61, condition: 'Unknown/Pulling/' }),
      ],
      want: ['u1 45 nothing', 'listed 50', 'u1 55 nothing', 'u1 60 nothing', 'u1 61 unknown*'],
    },
    {
      title: 'waits for a run that was told of later than the list',
      table: [toldOf({ version: 60, condition: 'Unknown/Running/' })],
      events: [listing('mark'), listed, applied({ version: 60, condition: 'Unknown/Running/' })],
      want: ['listed 50', 'u1 60 nothing'],
    },
    {
      title: 'tells a run of which it has skipped the replay against what was told',
      table: [toldOf({ version: 60, condition: 'Unknown/Running/' })],
      events: [listing('mark'), listed, applied({ version: 70, condition: 'False/Failed/' })],
      want: ['listed 50', 'u1 60 nothing', 'u1 70 failed*'],
    },
    {
      title: 'lets a told run go that is in the list no more, or is deleted',
      table: [toldOf(running), toldOf({ uid: 'u2', version: 60, condition: 'Unknown/Running/' })],
      events: [listing('mark'), listed, deleted({ uid: 'u2', version: 61 })],
      want: ['u1 40 nothing', 'gone u1', 'listed 50', 'u2 60 nothing', 'gone u2'],
    },
    {
      title: 'counts a run again that nobody has seen counted',
      table: [toldOf({ version: 110, ...done }, false)],
      events: [listing('mark'), applied({ version: 110, ...done }), { ...listed, resourceVersion: '110' }],
      want: ['u1 110 nothing#', 'listed 110'],
    },
    {
      title: 'believes nothing of it when the server begins anew',
      table: [toldOf({ version: 900, condition: 'Unknown/Running/' })],
      events: [
        listing('present'),
        applied({ version: 10, condition: 'Unknown/Running/' }),
        listed,
        applied({ version: 11, ...done }),
      ],
      want: ['u1 10 nothing*', 'listed 50', 'u1 11 successful*'],
    },
  ];

  for (const { title, table, events, want } of rows) {
    it(title, async () => {
      expect(await said(table, events)).to.deep.equal(want);
    });
  }

  it('chains every step to the one before', async () => {
    const events = [listing('after-loss'), applied({ version: 120, ...done }), listed, deleted({ version: 121 })];
    const steps = (await notes([toldOf(running)], events)).flatMap((note) => (note.type === 'step' ? [note.step] : []));
    expect(steps.map(({ before, after }) => [before?.resourceVersion, after?.resourceVersion])).to.deep.equal([
      [undefined, '40'],
      ['40', '120'],
      ['120', undefined],
    ]);
  });
});
