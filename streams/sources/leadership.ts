import {
  defer,
  distinctUntilChanged,
  exhaustMap,
  map,
  merge,
  NEVER,
  type Observable,
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
  readonly log: Log;
  readonly scheduler?: SchedulerLike;
}

const sentences: Readonly<Record<Role, string>> = {
  leading: 'leading',
  lapsed: 'the lease could not be renewed in time, nothing is told until it is',
  standby: 'standing by, another replica leads',
};

/**
 * What this replica is, and every change of it.
 *
 * One attempt at a time, `retryMs` apart. A leader whose attempts fail or hang is `lapsed` at its renew deadline,
 * whatever they are doing. Never errors, never completes; unsubscribing stops trying and releases nothing (see
 * `Elector.release`).
 */
export function leadership({ elector, times, log, scheduler }: Options): Observable<Role> {
  return defer(() => {
    const attempt$ = timer(0, times.retryMs, scheduler).pipe(
      exhaustMap(() => elector.attempt()),
      share(),
    );
    const lapse$ = attempt$.pipe(
      switchMap((role) => (role === 'leading' ? timer(times.renewDeadlineMs, scheduler) : NEVER)),
      map((): Role => 'lapsed'),
    );
    return merge(attempt$, lapse$);
  }).pipe(
    distinctUntilChanged(),
    tap((role) => log[role === 'lapsed' ? 'warn' : 'info']({ role }, sentences[role])),
  );
}
