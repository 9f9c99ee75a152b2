import { defer, from, map, type Observable, switchMap, tap } from 'rxjs';
import type { Checkpoint, PendingEvent } from '../../lib/checkpoint/checkpoint.ts';
import type { OutgoingEvent } from '../../lib/events/outgoing.ts';
import type { Log } from '../../lib/log.ts';
import type { Measure } from '../../lib/metrics/own.ts';
import { deservesLetter } from '../../lib/outbox/deserves-letter.ts';
import { type Kept, leaseMark, type Outbox } from '../../lib/outbox/outbox.ts';
import { type Resumption, resumption, type Sorted, sortKept, toldOf } from '../../lib/outbox/resume.ts';
import { kindNames } from '../../lib/run/kind.ts';
import type { Known } from '../../lib/run/observe.ts';
import type { WatchedNote } from '../controller.ts';
import type { DeliveryNote } from '../pipelines/delivery.ts';

/** A term as the data dir begins it. */
interface DurableTerm {
  /** What to watch from. */
  readonly checkpoint: Checkpoint | undefined;
  /** What was told of a watch's runs, once `pending$` has spoken. */
  readonly knownOf: (watch: string) => Iterable<readonly [string, Known]> | undefined;
  /** The events that wait: those of the data dir, and what `recover` makes of those that it lacks. */
  readonly pending$: (recover: Recover) => Observable<readonly OutgoingEvent[]>;
}

type Recover = (missing: readonly PendingEvent[]) => Observable<readonly OutgoingEvent[]>;

/** What joins the data dir to the controller. */
export interface Durability {
  begin(checkpoint: Checkpoint | undefined, watches: readonly string[]): DurableTerm;
  /** Whether an event of a step is news: not one that the data dir has given back already. */
  isNews(event: OutgoingEvent): boolean;
  /** Follows how far the watches have come, before any event of the note is delivered. */
  progress(watched: WatchedNote, events: readonly OutgoingEvent[]): void;
  /** Follows what became of each event. */
  noted(note: DeliveryNote): void;
}

interface Options {
  readonly outbox: Outbox;
  readonly giveUpAfterMs: number;
  /** Tells the checkpoint of the term what is not acknowledged yet. */
  readonly owes: (watch: string, events: readonly OutgoingEvent[]) => void;
  readonly now: () => number;
  readonly measure: Measure;
  readonly log: Log;
}

/** Keeps on disk what is owed and what was told, and begins each term from there. */
export function createDurability(options: Options): Durability {
  const { outbox, now, giveUpAfterMs, owes } = options;
  let given = new Set<string>();

  const begin: Durability['begin'] = (found, watches) => {
    if (watchesChanged(outbox, watches)) outbox.forgetTold();
    const { marks } = outbox.state();
    const resumed = resumption(found, outbox.state());
    if (!resumed.ours) outbox.forgetTold();
    let told: Kept['told'] = [];
    const read = async (): Promise<Sorted> => {
      const kept = await outbox.load();
      told = kept.told;
      const sorted = sortKept(kept.events, { resumption: resumed, marks, nowMs: now(), giveUpAfterMs });
      letGo(sorted, resumed, options);
      return sorted;
    };
    return {
      checkpoint: resumed.checkpoint,
      knownOf: (watch) => {
        const reliable = resumed.told.has(watch) && outbox.state().complete.includes(watch);
        return reliable ? toldOf(told, watch, resumed.checkpoint?.marks[watch]?.observed) : undefined;
      },
      pending$: (recover) =>
        defer(() => from(read())).pipe(
          switchMap(({ deliver, missing }) =>
            recover(missing).pipe(
              // From now on the marks of the data dir speak for them too.
              tap((found) => {
                for (const event of found) outbox.put(watchOf(event, watches), [event]);
              }),
              map((found) => inOrder([...deliver, ...found])),
            ),
          ),
          tap((events) => {
            given = new Set(events.map(({ id }) => id));
            for (const event of events) owes(watchOf(event, watches), [event]);
          }),
        ),
    };
  };

  return {
    begin,
    isNews: ({ id }) => !given.has(id),
    progress: ({ watch: { key }, note }, events) => {
      if (note.type === 'absent') return;
      if (events.length > 0) outbox.put(key, events);
      if (note.type === 'step') follow(outbox, key, note);
      const reached = note.type === 'step' ? note.reached : note.resourceVersion;
      if (reached !== undefined) outbox.reached(key, reached);
      if (note.type === 'listed') outbox.listed(key);
    },
    noted: (note) => {
      if (note.outcome !== 'dropped' || !deservesLetter(note.event, note.cause)) outbox.settle(note.event);
      else outbox.bury(note.event, note.cause);
    },
  };
}

function follow(outbox: Outbox, key: string, note: Extract<WatchedNote['note'], { type: 'step' }>): void {
  const { step, known } = note;
  if (known !== undefined) outbox.tell(key, known);
  else if (step.after === undefined && step.before !== undefined) outbox.forget(step.before.uid);
}

/** Other namespaces are watched now: rows of the former would stay for ever. */
function watchesChanged(outbox: Outbox, watches: readonly string[]): boolean {
  const { marks, complete } = outbox.state();
  return [...Object.keys(marks), ...complete].some((watch) => watch !== leaseMark && !watches.includes(watch));
}

function watchOf({ kind, namespace }: OutgoingEvent, watches: readonly string[]): string {
  const { plural } = kindNames[kind];
  return watches.includes(`${plural}/${namespace}`) ? `${plural}/${namespace}` : plural;
}

function letGo({ deliver, toldElsewhere, tooOld }: Sorted, { ours }: Resumption, options: Options): void {
  const { outbox, measure, log } = options;
  for (const event of toldElsewhere) outbox.settle(event);
  for (const event of tooOld) {
    measure.count('event_drops_total', { cause: 'gave-up' });
    outbox.bury(event, 'gave-up');
  }
  const counts = { waiting: deliver.length, toldElsewhere: toldElsewhere.length, tooOld: tooOld.length, ours };
  log.info(counts, 'the data dir is read');
}

/** Of one source in the order of their versions; versions are cluster-wide, so this is right for all. */
function inOrder(events: readonly OutgoingEvent[]): readonly OutgoingEvent[] {
  return events.toSorted((a, b) => (a.sequence < b.sequence ? -1 : Number(a.sequence > b.sequence)));
}
