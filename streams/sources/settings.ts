import {
  asyncScheduler,
  catchError,
  combineLatest,
  connect,
  defer,
  distinctUntilChanged,
  exhaustMap,
  filter,
  map,
  merge,
  type Observable,
  of,
  type SchedulerLike,
  shareReplay,
  switchMap,
  take,
  takeUntil,
  tap,
  throttleTime,
  timer,
} from 'rxjs';
import type { MapVersion } from '../../config/config-map.ts';
import type { InForce, Reading } from '../../config/in-force.ts';
import type { MapData } from '../../config/parse-map.ts';
import type { MapName } from '../../config/settings.ts';
import { type SettingsState, sameSettingsState } from '../../config/settings-state.ts';
import { settingsStateOf } from '../../config/settings-state-of.ts';
import type { WatchEvent } from '../../lib/kube/watch-event.ts';
import type { Profile } from '../../lib/profile.ts';
import type { Resource } from '../../lib/run/run.ts';
import { keepLastGood } from '../operators/keep-last-good.ts';
import { mapVersion } from './map-version.ts';
import { type KeptTexts, type SettingsEffects, tell, tellCrossMap } from './settings-effects.ts';

export interface SettingsOptions extends SettingsEffects {
  /** One watch a map, each on that config map alone. */
  readonly watches: Readonly<Record<MapName, Observable<WatchEvent<Resource>>>>;
  readonly profile: Profile;
  /**
   * Each value asks to start without the maps that are still unread, from their kept texts. With no kept texts to
   * be had, the wait goes on until the next value.
   */
  readonly giveUpWaiting$: Observable<unknown>;
  /** How long a deleted map's sink is held. Default 60,000: `kubectl replace --force` deletes and creates. */
  readonly holdSinkMs?: number;
  /** For virtual time. */
  readonly scheduler?: SchedulerLike;
}

/** A burst of edits is taken at this pace, its last one always. */
const burstMs = 100;

/**
 * The settings in force: first when all four maps are read (or given up on), then whenever anything changes.
 *
 * Effects belong to the subscription: share this stream, do not subscribe to it twice. An error of a watch passes
 * through; a watch that completes leaves its map as it is.
 */
export function settings(options: SettingsOptions): Observable<SettingsState> {
  return defer(() => {
    const load = () =>
      defer(options.loadLastGood).pipe(
        catchError((error: unknown) => {
          options.onLoadFailed(error);
          return of(undefined);
        }),
      );
    const first$ = load().pipe(shareReplay(1));
    const restored$ = options.giveUpWaiting$.pipe(
      exhaustMap(() => first$.pipe(switchMap((kept) => (kept ? of(kept) : load())))),
      filter((kept) => kept !== undefined),
      take(1),
      shareReplay({ bufferSize: 1, refCount: true }),
    );
    const inForce = <M extends MapName>(name: M) =>
      first$.pipe(switchMap((kept) => inForceOf(name, kept?.[name], restored$, options)));
    const maps$ = combineLatest({
      'config-observability': inForce('config-observability'),
      'config-events': inForce('config-events'),
      'config-defaults': inForce('config-defaults'),
      'feature-flags': inForce('feature-flags'),
    } satisfies { [M in MapName]: Observable<InForce<M>> });
    return maps$.pipe(tellCrossMap(options), map(settingsStateOf), distinctUntilChanged(sameSettingsState));
  });
}

/** The values in force for one map: from its kept text when the wait is over before the map was ever read. */
function inForceOf<M extends MapName>(
  name: M,
  kept: MapData | undefined,
  restored$: Observable<KeptTexts>,
  options: SettingsOptions,
): Observable<InForce<M>> {
  const { holdSinkMs = 60_000, scheduler = asyncScheduler, profile, now } = options;
  const unread$ = restored$.pipe(map((texts): Reading => ({ type: 'restored', kept: texts[name] })));
  return mapVersion(options.watches[name]).pipe(
    throttleTime(burstMs, scheduler, { leading: true, trailing: true }),
    switchMap((version) => readings(version, holdSinkMs, scheduler)),
    connect((reading$) => merge(unread$.pipe(takeUntil(reading$)), reading$)),
    keepLastGood<M>({ name, profile, kept, now }),
    tap((after) => tell(name, after, options)),
  );
}

/** A map that is away is `gone` once it has been away for `holdSinkMs`. */
function readings(version: MapVersion, holdSinkMs: number, scheduler: SchedulerLike): Observable<Reading> {
  if (version) return of({ type: 'version', map: version });
  return merge(
    of({ type: 'missing' } as const),
    timer(holdSinkMs, scheduler).pipe(map(() => ({ type: 'gone' }) as const)),
  );
}
