import { expect } from 'chai';
import fc from 'fast-check';
import { firstValueFrom, Subject, type Subscription } from 'rxjs';
import { type CheckpointBook, createCheckpointBook } from '../../lib/checkpoint/book.ts';
import { type Checkpoint, checkpointText, readCheckpoint } from '../../lib/checkpoint/checkpoint.ts';
import { deliveryLimits } from '../../lib/events/limits.ts';
import type { Attempt, OutgoingEvent } from '../../lib/events/outgoing.ts';
import { DeliveryQueue } from '../../lib/events/queue.ts';
import type { KubeApi } from '../../lib/kube/api.ts';
import type { WatchEvent } from '../../lib/kube/watch-event.ts';
import { silentLog } from '../../lib/log.ts';
import { noMeasure } from '../../lib/metrics/own.ts';
import type { Observed } from '../../lib/run/run.ts';
import { observeRuns, type RunNote } from '../../streams/operators/observe-runs.ts';
import { outgoingOf } from '../../streams/wiring/outgoing-of.ts';
import { pendingOf } from '../../streams/wiring/pending-of.ts';
import { observed, resource, svc, typeOf } from '../support/runs.ts';

/** What is done to one of the runs: it is made where it is not there. */
interface Write {
  readonly run: number;
  readonly what:
    | 'Unknown/Started/'
    | 'Unknown/Running/'
    | 'Unknown/Running/2'
    | 'True/Succeeded/'
    | 'False/F/'
    | 'delete';
}

/** One version of a run in the API server's history. */
interface Version {
  readonly change: 'applied' | 'deleted';
  readonly given: Parameters<typeof resource>[0] & { readonly version: number };
}

/** Three writes share a second, so that conditions come back within one. A run that has ended stays as it is. */
function historyOf(writes: readonly Write[]): readonly Version[] {
  const runs = new Map<number, { readonly uid: string; readonly ended: boolean }>();
  const history: Version[] = [];
  for (const { run, what } of writes) {
    const version = history.length + 2;
    const { uid, ended } = runs.get(run) ?? { uid: `u${version}`, ended: false };
    const who = { name: `run-${run}`, uid, version };
    const at = new Date(Date.UTC(2026, 0, 1) + Math.floor(version / 3) * 1000).toISOString();
    if (what === 'delete') {
      if (runs.delete(run)) history.push({ change: 'deleted', given: who });
    } else if (!ended) {
      runs.set(run, { uid, ended: !what.startsWith('Unknown') });
      history.push({ change: 'applied', given: { ...who, condition: what, at } });
    }
  }
  return history;
}

/** The runs as they stood at a version. */
function standing(history: readonly Version[], at: number): readonly Version[] {
  const runs = new Map<string | undefined, Version>();
  for (const one of history.filter(({ given }) => given.version <= at)) {
    if (one.change === 'deleted') runs.delete(one.given.uid);
    else runs.set(one.given.uid, one);
  }
  return [...runs.values()];
}

type Action = 'watch' | 'bookmark' | 'deliver' | 'refuse' | 'lose the answer' | 'save' | 'crash';

const taken: Attempt = { outcome: 'delivered', status: 204 };
const refused: Attempt = { outcome: 'failed', result: '5xx', problem: 'answered 503', retryAfterMs: undefined };

/** Everything between an API server's history and a sink, as the controller joins it; time is what `act` makes it. */
class Model {
  /** Of each request that the sink took. */
  readonly received: OutgoingEvent[] = [];
  readonly #history: readonly Version[];
  #saved: string | undefined;
  #checkpoint: Checkpoint | undefined;
  #book: CheckpointBook = createCheckpointBook(undefined);
  #queue = this.#newQueue();
  #event$ = new Subject<WatchEvent<Observed>>();
  #watching: Subscription | undefined;
  #resumed = false;
  #seen = 1;
  #nowMs = 0;

  constructor(history: readonly Version[]) {
    this.#history = history;
    this.#begin();
  }

  async act(action: Action): Promise<void> {
    this.#nowMs += 1000;
    if (action === 'save') this.#save();
    else if (action === 'crash') this.#begin();
    else await this.#work(action);
  }

  /** Nothing fails any more. */
  async settle(): Promise<void> {
    for (const _ of this.#history) await this.act('watch');
    this.#nowMs += 3_600_000;
    await this.act('deliver');
    while (this.#queue.state.length > 0) await this.act('deliver');
  }

  #save(): void {
    this.#saved = checkpointText(this.#book.checkpoint(this.#nowMs));
  }

  #newQueue(): DeliveryQueue {
    const settled = (event: OutgoingEvent) => this.#book.settled(event);
    const onDropped = () => expect.fail('nothing is dropped');
    return new DeliveryQueue({ limits: deliveryLimits, random: () => 0.5, onAcknowledged: settled, onDropped });
  }

  /** A process begins: it knows what stands in the Lease. */
  #begin(): void {
    this.#watching?.unsubscribe();
    this.#checkpoint = readCheckpoint(this.#saved);
    this.#book = createCheckpointBook(this.#checkpoint);
    this.#queue = this.#newQueue();
    this.#resumed = false;
  }

  async #work(action: Exclude<Action, 'save' | 'crash'>): Promise<void> {
    if (!this.#resumed) await this.#resume();
    if (action === 'watch') this.#watchOne();
    else if (action === 'bookmark') this.#event$.next({ type: 'bookmark', resourceVersion: String(this.#seen) });
    else this.#post(action);
  }

  /** What was pending is owed again, then the list at the mark; the first such list is kept at once. */
  async #resume(): Promise<void> {
    this.#resumed = true;
    const watches = [{ kind: 'TaskRun', namespace: '', key: 'taskruns' }] as const;
    const terms = { book: () => this.#book };
    const around = { profile: svc, measure: noMeasure, log: silentLog, api: this.#api() };
    const pending = await firstValueFrom(pendingOf({ ...around, checkpoint: this.#checkpoint, watches, terms }));
    this.#book.resumed();
    for (const event of pending) this.#queue.put(event, this.#nowMs);
    const resume = this.#checkpoint && { countedTo: undefined, greatestTransitionMs: 0 };
    this.#event$ = new Subject();
    this.#watching = this.#event$
      .pipe(observeRuns({ behaviour: svc.behaviour, sinceMs: 0, resume }))
      .subscribe((note) => this.#follow(note));
    this.#seen = Number(this.#checkpoint?.marks.taskruns?.acked ?? 1);
    this.#event$.next({ type: 'relisting', at: this.#checkpoint === undefined ? 'present' : 'mark' });
    for (const { given } of standing(this.#history, this.#seen)) {
      this.#event$.next({ type: 'applied', object: observed(given) });
    }
    this.#event$.next({ type: 'listed', resourceVersion: String(this.#seen) });
    if (this.#saved === undefined) this.#save();
  }

  #watchOne(): void {
    const next = this.#history.find(({ given }) => given.version === this.#seen + 1);
    if (next === undefined) return;
    this.#seen += 1;
    this.#event$.next({ type: next.change, object: observed(next.given) });
  }

  #follow(note: RunNote): void {
    if (note.type === 'absent') return;
    const events = note.type === 'step' ? outgoingOf(svc)(note.step) : [];
    this.#book.owes('taskruns', events);
    const reached = note.type === 'step' ? note.reached : note.resourceVersion;
    if (note.type === 'listed') this.#book.listed('taskruns', note.resourceVersion);
    else if (reached !== undefined) this.#book.reached('taskruns', reached);
    for (const event of events) this.#queue.put(event, this.#nowMs);
  }

  #post(action: 'deliver' | 'refuse' | 'lose the answer'): void {
    for (let event = this.#queue.take(this.#nowMs); event !== undefined; event = this.#queue.take(this.#nowMs)) {
      if (action !== 'refuse') this.received.push(event);
      this.#queue.settle(event, action === 'deliver' ? taken : refused, this.#nowMs);
      if (action !== 'deliver') return;
    }
  }

  #api(): KubeApi {
    const list: KubeApi['list'] = async (_, __, { fieldSelector, resourceVersion }) => {
      const items = standing(this.#history, Number(resourceVersion)).map(({ given }) => resource(given));
      const named = items.filter(
        ({ metadata }) => fieldSelector === `metadata.name=${(metadata as { name: string }).name}`,
      );
      return { items: named, resourceVersion: String(resourceVersion), continueToken: '' };
    };
    return { discover: async () => [typeOf('TaskRun')], list } as unknown as KubeApi;
  }
}

/** By source, ids in the order in which they came first. */
function firsts(events: readonly OutgoingEvent[]): ReadonlyMap<string, readonly string[]> {
  const sources = Map.groupBy(events, ({ source }) => source);
  return new Map([...sources].map(([source, all]) => [source, [...new Set(all.map(({ id }) => id))]]));
}

const write = fc.record<Write>({
  run: fc.nat({ max: 2 }),
  what: fc.constantFrom(
    'Unknown/Started/',
    'Unknown/Running/',
    'Unknown/Running/2',
    'True/Succeeded/',
    'False/F/',
    'delete',
  ),
});
const action = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Action>('watch') },
  { weight: 6, arbitrary: fc.constantFrom<Action>('deliver', 'refuse', 'lose the answer', 'bookmark') },
  { weight: 4, arbitrary: fc.constantFrom<Action>('save', 'crash') },
);
/** More runs than have a place beside the mark of a checkpoint. */
const flood = Array.from({ length: 120 }, (_, run): Write => ({ run: run + 10, what: 'Unknown/Running/' }));

describe('whenever the controller is killed', () => {
  for (const [name, before] of Object.entries({
    'any history': [],
    'a history with more than 100 events waiting': flood,
  })) {
    it(`delivers of ${name} the ids that it delivers without, each run in the same order`, async () => {
      const histories = fc
        .array(write, { maxLength: 30, size: 'max' })
        .map((writes) => historyOf([...before, ...writes]));
      await fc.assert(
        fc.asyncProperty(histories, fc.array(action, { maxLength: 60, size: 'max' }), async (history, actions) => {
          const undisturbed = new Model(history);
          await undisturbed.act('bookmark');
          await undisturbed.settle();
          const killed = new Model(history);
          // From its first complete list on: before, everything is baseline.
          await killed.act('bookmark');
          for (const _ of before) await killed.act('watch');
          for (const one of actions) await killed.act(one);
          await killed.settle();
          expect(firsts(killed.received)).to.deep.equal(firsts(undisturbed.received));
          // What was acknowledged and marked is never heard of again.
          const told = killed.received.length;
          for (const one of ['save', 'crash', 'bookmark'] as const) await killed.act(one);
          await killed.settle();
          expect(killed.received.length).to.equal(told);
        }),
        { numRuns: before.length > 0 ? 30 : 300 },
      );
    });
  }

  it('delivers what was pending when it is killed again before it could read that back', async () => {
    const killed = new Model(historyOf([{ run: 1, what: 'Unknown/Running/' }]));
    for (const one of ['bookmark', 'watch', 'save', 'crash', 'save', 'crash'] as const) await killed.act(one);
    await killed.settle();
    expect(killed.received.map(({ word }) => word)).to.deep.equal(['started', 'running']);
  });
});
