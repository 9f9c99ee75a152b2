import {
  combineLatest,
  connect,
  distinctUntilChanged,
  EMPTY,
  filter,
  finalize,
  ignoreElements,
  map,
  merge,
  type Observable,
  startWith,
  switchMap,
  tap,
} from 'rxjs';
import type { ObservabilitySettings } from '../config/settings.ts';
import type { SettingsState } from '../config/settings-state.ts';
import type { OutgoingEvent } from '../lib/events/outgoing.ts';
import type { Role } from '../lib/leader/lease.ts';
import type { Log } from '../lib/log.ts';
import { type Kind, kindNames, kinds } from '../lib/run/kind.ts';
import type { Step } from '../lib/run/step.ts';
import { createSyncState, type SyncState } from '../lib/sync-state.ts';
import { type LeadOptions, lead } from './lead.ts';
import { holdUntil } from './operators/hold-until.ts';
import type { RunNote } from './operators/observe-runs.ts';
import type { SinkState as DeliveryTarget } from './pipelines/delivery.ts';
import type { RunWatch } from './sources/run-watches.ts';

/** A note and the watch that it came from. */
export interface WatchedNote {
  readonly watch: Pick<RunWatch, 'kind' | 'key'>;
  readonly note: RunNote;
}

/** The controller's effects: everything it does to the world, each a function. */
export interface Effects {
  readonly metrics: {
    apply(settings: ObservabilitySettings): void;
    record(step: Step): void;
    setRunGauges(kind: Kind, visible: boolean): void;
    forgetAll(kind: Kind): void;
  };
  /** Events that a step owes the sink, in order. */
  readonly outgoing: (step: Step) => readonly OutgoingEvent[];
  /** Delivers what it is given for as long as it is subscribed to. */
  readonly deliver: (
    event$: Observable<readonly OutgoingEvent[]>,
    sink$: Observable<DeliveryTarget>,
  ) => Observable<unknown>;
  /** Writes the Kubernetes Events that steps owe. */
  readonly recordKubeEvents: (step$: Observable<Step>) => Observable<unknown>;
  /** Follows how far the watches have come; called before any event of the note is delivered. */
  readonly progress: (watched: WatchedNote, events: readonly OutgoingEvent[]) => void;
  /** Whether we may act at this very moment; see `Elector.holds`. */
  readonly mayAct: () => boolean;
  /** A new set of watches has begun, or the last one has ended. */
  readonly onSync: (sync: SyncState | undefined) => void;
}

interface Options extends LeadOptions {
  readonly settings$: Observable<SettingsState>;
  readonly effects: Effects;
}

/** Notes that may wait while the lease has lapsed: about 40 MB of runs. */
const heldNotes = 10_000;

/**
 * The whole controller: settings switch the effects, the leader watches the runs, each step goes to every effect.
 *
 * Emits nothing and never completes; `settings$` and `role$` must replay their last value and be shared. Nothing is
 * read before the settings are there.
 */
export function controller(options: Options): Observable<never> {
  const { settings$, role$, effects } = options;
  const applied$ = settings$.pipe(
    map(({ settings }) => settings['config-observability']),
    distinctUntilChanged(),
    tap((observability) => effects.metrics.apply(observability)),
  );
  const watchAll = (watches: readonly RunWatch[], pending: readonly OutgoingEvent[]) =>
    watchRuns(options, watches, pending);
  const leads$ = role$.pipe(
    map((role) => role !== 'standby'),
    distinctUntilChanged(),
  );
  const led$ = leads$.pipe(switchMap((leads) => (leads ? lead(options, watchAll) : EMPTY)));
  return merge(applied$, led$).pipe(ignoreElements());
}

function watchRuns(
  { settings$, role$, effects, measure, log }: Options,
  watches: readonly RunWatch[],
  pending: readonly OutgoingEvent[],
): Observable<unknown> {
  const sync = createSyncState(watches);
  effects.onSync(sync);
  const noted$ = merge(...watches.map((watch) => watch.note$.pipe(map((note): WatchedNote => ({ watch, note })))));
  return noted$.pipe(
    holdUntil({ mayPass: effects.mayAct, retry$: role$, limit: heldNotes }),
    tap(followSync({ sync, effects, measure, log })),
    connect((watched$) => fanOut(watched$, { settings$, role$, effects, log, pending })),
    finalize(() => {
      effects.onSync(undefined);
      for (const kind of kinds) {
        measure.set('retained_runs', 0, { resource: kindNames[kind].plural });
        effects.metrics.setRunGauges(kind, false);
        effects.metrics.forgetAll(kind);
      }
    }),
  );
}

type FanOut = Pick<Options, 'settings$' | 'role$' | 'effects' | 'log'> & { readonly pending: readonly OutgoingEvent[] };

/** Counts, then owes, then tells: what is told is known to be owed before it can be acknowledged. */
function fanOut(
  watched$: Observable<WatchedNote>,
  { settings$, role$, effects, log, pending }: FanOut,
): Observable<unknown> {
  const step$ = watched$.pipe(
    map(({ note }) => note),
    filter((note) => note.type === 'step'),
    map(({ step }) => step),
  );
  let forRuns = false;
  let hasSink = true;
  const flags$ = settings$.pipe(
    tap(({ settings, sink }) => {
      forRuns = settings['feature-flags'].sendCloudEventsForRuns;
      hasSink = sink.state !== 'none';
    }),
    ignoreElements(),
  );
  const wanted = ({ kind }: OutgoingEvent) => kind !== 'CustomRun' || forRuns;
  const event$ = watched$.pipe(
    map((watched) => {
      const { note } = watched;
      // An event without a sink would be let go at once, and a body is the dearest part of a step.
      const owes = hasSink && note.type === 'step' && note.step.events.length > 0;
      const events = owes ? effects.outgoing(note.step).filter(wanted) : [];
      effects.progress(watched, events);
      return events;
    }),
    startWith(pending),
    filter((events) => events.length > 0),
  );
  const metrics$ = step$.pipe(
    tap((step) => {
      sayOddStatus(step, log);
      effects.metrics.record(step);
    }),
  );
  return merge(
    flags$,
    metrics$,
    effects.deliver(event$, sinkWhileLeading(settings$, role$)),
    effects.recordKubeEvents(step$),
  );
}

/** Where events go, paused while the lease has lapsed: another may lead by now, so nothing may even be in flight. */
function sinkWhileLeading(settings$: Observable<SettingsState>, role$: Observable<Role>): Observable<DeliveryTarget> {
  return combineLatest([settings$, role$]).pipe(
    map(([{ sink }, role]): DeliveryTarget => {
      return role === 'leading' || sink.state === 'none' ? sink : { state: 'paused', breakOff: true };
    }),
    distinctUntilChanged(sameTarget),
  );
}

function sameTarget(a: DeliveryTarget, b: DeliveryTarget): boolean {
  if (a.state === 'sink') return b.state === 'sink' && a.url === b.url;
  if (a.state === 'paused') return b.state === 'paused' && a.breakOff === b.breakOff;
  return b.state === 'none';
}

function followSync({
  sync,
  effects,
  measure,
  log,
}: Pick<Options, 'effects' | 'measure' | 'log'> & { sync: SyncState }) {
  const retained = { TaskRun: 0, PipelineRun: 0, CustomRun: 0 };
  let said = false;
  return ({ watch: { kind, key }, note }: WatchedNote) => {
    // What was absent and comes back without a list was listed before.
    if (note.type === 'reached' && sync.state(key) !== 'absent') return;
    if (note.type === 'step') {
      if (note.step.before !== undefined && note.step.after !== undefined) return;
      retained[kind] += note.step.after === undefined ? -1 : 1;
      measure.set('retained_runs', retained[kind], { resource: kindNames[kind].plural });
      return;
    }
    sync.set(key, note.type === 'absent' ? 'absent' : 'listed');
    effects.metrics.setRunGauges(kind, sync.kindSynced(kind));
    if (said || !sync.allSynced()) return;
    said = true;
    log.info({}, 'synced');
  };
}

function sayOddStatus({ before, after }: Step, log: Log): void {
  if (after === undefined) return;
  const { kind, namespace, name, condition, oddStatus: status } = after;
  if (status !== undefined && status !== before?.oddStatus) {
    log.warn({ kind, namespace, name, status }, 'the Succeeded condition is none of True, False, Unknown: not told');
  } else if (before?.condition !== undefined && condition === undefined) {
    log.warn({ kind, namespace, name }, 'the Succeeded condition is gone: not told');
  }
}
