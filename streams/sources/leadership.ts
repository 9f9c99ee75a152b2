import {
  concatMap,
  defer,
  distinctUntilChanged,
  ignoreElements,
  map,
  merge,
  NEVER,
  type Observable,
  of,
  race,
  repeat,
  type SchedulerLike,
  share,
  switchMap,
  tap,
  timer,
} from 'rxjs';
import type { LeaseTimes, Role } from '../../lib/leader/lease.ts';
import type { Log } from '../../lib/log.ts';
import type { Elector } from './elector.ts';

interface Options {
  readonly elector: Pick<Elector, 'attempt'>;
  readonly times: LeaseTimes;
  /** Each value asks for an attempt now. */
  readonly hurry$?: Observable<unknown>;
  readonly log: Log;
  readonly scheduler?: SchedulerLike;
}

const sentences: Readonly<Record<Role, string>> = {
  leading: 'leading',
  lapsed: 'the lease could not be renewed in time, nothing is told until it is',
  standby: 'standing by, another replica leads',
};

/** Looks of a standby for one attempt of a leader: after a leader's end the lease is taken within half a second. */
const looksPerAttempt = 4;

/**
 * What this replica is, and every change of it.
 *
 * One attempt at a time, `retryMs` apart, more often while standing by, and at once when `hurry$` says so. A leader
 * whose attempts fail or hang is `lapsed` at its renew deadline, whatever they are doing. Never errors, never
 * completes; unsubscribing stops trying and releases nothing (see `Elector.release`).
 */
export function leadership({ elector, times, hurry$ = NEVER, log, scheduler }: Options): Observable<Role> {
  return defer(() => {
    let last: Role = 'standby';
    let hurried = false;
    const hurries$ = hurry$.pipe(
      tap(() => {
        hurried = true;
      }),
      share(),
    );
    const pauseMs = () => (last === 'standby' ? times.retryMs / looksPerAttempt : times.retryMs);
    const attempt$ = timer(0, scheduler).pipe(
      concatMap(() => {
        hurried = false;
        return elector.attempt();
      }),
      tap((role) => {
        last = role;
      }),
      repeat({ delay: () => (hurried ? of(0) : race(timer(pauseMs(), scheduler), hurries$)) }),
      share(),
    );
    const lapse$ = attempt$.pipe(
      switchMap((role) => (role === 'leading' ? timer(times.renewDeadlineMs, scheduler) : NEVER)),
      map((): Role => 'lapsed'),
    );
    return merge(hurries$.pipe(ignoreElements()), attempt$, lapse$);
  }).pipe(
    distinctUntilChanged(),
    tap((role) => log[role === 'lapsed' ? 'warn' : 'info']({ role }, sentences[role])),
  );
}
