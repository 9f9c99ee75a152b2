import { expect } from 'chai';
import { firstValueFrom, of } from 'rxjs';
import type { Checkpoint, PendingEvent } from '../../../lib/checkpoint/checkpoint.ts';
import type { OutgoingEvent } from '../../../lib/events/outgoing.ts';
import type { Kept, Outbox, OutboxState } from '../../../lib/outbox/outbox.ts';
import { forget, type Known, observe } from '../../../lib/run/observe.ts';
import { createDurability } from '../../../streams/wiring/outbox.ts';
import { outgoing } from '../../support/outgoing.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { recordedMeasure } from '../../support/recorded-measure.ts';
import { observed, svc } from '../../support/runs.ts';

interface Given extends Partial<Kept> {
  readonly state?: Partial<OutboxState>;
}

function world({ events = [], told = [], state = {} }: Given = {}) {
  const calls: string[] = [];
  const say =
    (what: string) =>
    (...args: readonly unknown[]) =>
      void calls.push([what, ...args.map(shown)].join(' '));
  const outbox: Outbox = {
    state: () => ({ id: 'db', marks: {}, complete: [], ...state }),
    put: (watch, put) => void calls.push(`put ${watch} ${put.map(({ id }) => id)}`),
    settle: say('settle'),
    bury: say('bury'),
    tell: say('tell'),
    forget: say('forget'),
    reached: say('reached'),
    listed: say('listed'),
    forgetTold: say('forgetTold'),
    load: async () => ({ events, told }),
    flush: async () => true,
    close: async () => {},
  };
  const [log, measure, owed] = [recordedLog(), recordedMeasure(), [] as string[]];
  const owes = (watch: string, owing: readonly OutgoingEvent[]) =>
    void owed.push(...owing.map(({ id }) => `${watch} ${id}`));
  const durability = createDurability({ outbox, giveUpAfterMs: 1000, owes, now: () => 5000, measure, log });
  return { calls, log, measure, owed, durability };
}

/** Events by their id, runs by their uid, anything else as it is. */
function shown(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if ('id' in value) return String(value.id);
  return 'run' in value ? (value as Known).run.uid : JSON.stringify(value);
}

const checkpoint = (given: Partial<Checkpoint> = {}): Checkpoint => ({
  savedMs: 0,
  greatestTransitionMs: 0,
  marks: {},
  pending: [],
  outbox: 'db',
  ...given,
});
const kept = (event: OutgoingEvent, putAtMs = 5000) => ({ event, putAtMs });
const ids = (events: readonly OutgoingEvent[]) => events.map(({ id }) => id);
const watch = { kind: 'TaskRun', key: 'taskruns' } as const;
const { known, step } = observe(undefined, observed({ condition: 'Unknown/Started/' }), svc.behaviour);

describe('createDurability', () => {
  it('begins with what waits, in the order of versions, and owes it', async () => {
    const [late, early] = [
      outgoing({ id: 'late', sequence: '00000000000000000003.0' }),
      outgoing({ id: 'early', sequence: '00000000000000000002.0' }),
    ];
    const { durability, owed, calls, log } = world({ events: [kept(late), kept(early)] });
    const term = durability.begin(checkpoint(), ['taskruns']);
    expect(durability.isNews(late)).to.equal(true);
    expect(ids(await firstValueFrom(term.pending$(() => of([]))))).to.deep.equal(['early', 'late']);
    expect([durability.isNews(late), durability.isNews(outgoing())]).to.deep.equal([false, true]);
    expect(owed).to.deep.equal(['taskruns early', 'taskruns late']);
    expect(calls).to.deep.equal([]);
    const fields = { waiting: 2, toldElsewhere: 0, tooOld: 0, ours: true };
    expect(log.lines).to.deep.equal([{ level: 'info', fields, sentence: 'the data dir is read' }]);
  });

  it('puts events of one version where they were', async () => {
    const [a, b] = [outgoing({ id: 'a' }), outgoing({ id: 'b' })];
    const { durability } = world({ events: [kept(a), kept(b)] });
    const term = durability.begin(checkpoint(), ['taskruns']);
    expect(ids(await firstValueFrom(term.pending$(() => of([]))))).to.deep.equal(['a', 'b']);
  });

  it('owes an event to the watch of its namespace where there is one', async () => {
    const { durability, owed } = world({ events: [kept(outgoing({ id: 'a' }))] });
    await firstValueFrom(durability.begin(checkpoint(), ['taskruns/ci']).pending$(() => of([])));
    expect(owed).to.deep.equal(['taskruns/ci a']);
  });

  it('has recovered what the data dir lacks, and keeps it from then on', async () => {
    const { durability, calls } = world();
    const lacked = outgoing({ id: 'lacked' });
    const pending: PendingEvent = lacked;
    const asked: string[] = [];
    const recover = (missing: readonly PendingEvent[]) => {
      asked.push(...missing.map(({ id }) => id));
      return of([lacked]);
    };
    const term = durability.begin(checkpoint({ pending: [pending] }), ['taskruns']);
    expect(ids(await firstValueFrom(term.pending$(recover)))).to.deep.equal(['lacked']);
    expect(asked).to.deep.equal(['lacked']);
    expect(calls).to.deep.equal(['put taskruns lacked']);
  });

  it('lets go of what another replica told, and of what is too old', async () => {
    const events = [
      kept(outgoing({ id: 'told', resourceVersion: '3' })),
      kept(outgoing({ id: 'old', resourceVersion: '9' }), 4000),
    ];
    const { durability, calls, measure } = world({ events });
    const found = checkpoint({ outbox: 'another', marks: { taskruns: { acked: '5', observed: undefined } } });
    expect(await firstValueFrom(durability.begin(found, ['taskruns']).pending$(() => of([])))).to.deep.equal([]);
    expect(calls).to.deep.equal(['forgetTold', 'settle told', 'bury old gave-up']);
    expect(measure.counts.get('event_drops_total{cause="gave-up"}')).to.equal(1);
  });

  it('forgets what was told when other namespaces are watched', () => {
    for (const state of [{ marks: { 'taskruns/ci': '5' } }, { complete: ['taskruns/ci'] }]) {
      const { durability, calls } = world({ state });
      durability.begin(checkpoint(), ['taskruns/other']);
      expect(calls).to.deep.equal(['forgetTold']);
    }
  });

  it('knows what was told when the Lease has a version there', () => {
    const { durability, calls } = world({ state: { marks: { taskruns: '9', lease: '10' }, complete: ['taskruns'] } });
    durability.begin(checkpoint(), ['taskruns']);
    expect(calls).to.deep.equal([]);
  });

  it('knows what was told only of a watch whose table is complete', async () => {
    const state = { complete: ['taskruns'] };
    const { durability } = world({ told: [{ watch: 'taskruns', known, countedAt: undefined }], state });
    const watches = ['taskruns', 'customruns'];
    const ours = durability.begin(checkpoint(), watches);
    await firstValueFrom(ours.pending$(() => of([])));
    expect([...(ours.knownOf('taskruns') ?? [])]).to.deep.equal([['u1', known]]);
    expect(ours.knownOf('customruns')).to.equal(undefined);
    expect(durability.begin(undefined, watches).knownOf('taskruns')).to.equal(undefined);
  });

  it('counts a run again that was counted after the last scrape', async () => {
    const told = [{ watch: 'taskruns', known: { ...known, counted: true }, countedAt: '8' }];
    const { durability } = world({ told, state: { complete: ['taskruns'] } });
    const marks = { taskruns: { acked: '9', observed: '7' } };
    const term = durability.begin(checkpoint({ marks }), ['taskruns']);
    await firstValueFrom(term.pending$(() => of([])));
    expect([...(term.knownOf('taskruns') ?? [])]).to.deep.equal([['u1', { ...known, counted: false }]]);
  });

  const gone = forget(known);
  const unseen = { ...gone, before: undefined };
  for (const [what, note, events, want] of [
    [
      'a step with events',
      { type: 'step', step, reached: '7', known },
      ['e'],
      ['put taskruns e', 'tell taskruns u1', 'reached taskruns 7'],
    ],
    ['a step in a list', { type: 'step', step, reached: undefined, known }, [], ['tell taskruns u1']],
    ['a step that tells nothing new', { type: 'step', step, reached: '7' }, [], ['reached taskruns 7']],
    ['a deletion', { type: 'step', step: gone, reached: '7' }, [], ['forget u1', 'reached taskruns 7']],
    ['a deletion of a run never seen', { type: 'step', step: unseen, reached: '7' }, [], ['reached taskruns 7']],
    ['the end of a list', { type: 'listed', resourceVersion: '9' }, [], ['reached taskruns 9', 'listed taskruns']],
    ['a bookmark', { type: 'reached', resourceVersion: '9' }, [], ['reached taskruns 9']],
    ['a kind that the server lacks', { type: 'absent' }, [], []],
  ] as const) {
    it(`follows ${what}`, () => {
      const { durability, calls } = world();
      const owing = events.map((id) => outgoing({ id }));
      durability.progress({ watch, note }, owing);
      expect(calls).to.deep.equal(want);
    });
  }

  const event = outgoing({ id: 'e', word: 'running' });
  const end = outgoing({ id: 'end', word: 'failed' });
  for (const [what, note, want] of [
    ['an acknowledged event', { outcome: 'acknowledged', event }, 'settle e'],
    ['an event that was not queued', { outcome: 'not-queued', event }, 'settle e'],
    ['an event dropped with its sink', { outcome: 'dropped', event, cause: 'sink-removed' }, 'settle e'],
    ['progress that found no room', { outcome: 'dropped', event, cause: 'queue-full' }, 'settle e'],
    ['an end that found no room', { outcome: 'dropped', event: end, cause: 'queue-full' }, 'bury end queue-full'],
    ['an event given up on', { outcome: 'dropped', event, cause: 'gave-up' }, 'bury e gave-up'],
  ] as const) {
    it(`${want.startsWith('bury') ? 'buries' : 'settles'} ${what}`, () => {
      const { durability, calls } = world();
      durability.noted(note);
      expect(calls).to.deep.equal([want]);
    });
  }
});
