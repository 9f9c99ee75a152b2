import {
  asyncScheduler,
  connect,
  defer,
  EMPTY,
  endWith,
  filter,
  ignoreElements,
  type MonoTypeOperatorFunction,
  map,
  merge,
  type Observable,
  type SchedulerLike,
  switchMap,
  takeUntil,
  tap,
  timer,
} from 'rxjs';

interface Options<T> {
  /** What may change about a value while it stays the same; undefined: nothing may. */
  readonly stampOf: (value: T) => string | undefined;
  /** How often that is looked at, ms. */
  readonly everyMs: number;
  readonly scheduler?: SchedulerLike;
}

/**
 * The values, and the latest of them again whenever its stamp has changed.
 *
 * The stamp is first taken before the value is passed on, so that a change while it is being used is one too. Completes
 * and fails with the source; a value without a stamp is not looked at.
 */
export function againOnChange<T>(options: Options<T>): MonoTypeOperatorFunction<T> {
  return connect((value$) => {
    const over$ = value$.pipe(ignoreElements(), endWith(true));
    return merge(value$.pipe(switchMap((value) => changes(value, options))).pipe(takeUntil(over$)), value$);
  });
}

function changes<T>(value: T, { stampOf, everyMs, scheduler = asyncScheduler }: Options<T>): Observable<T> {
  return defer(() => {
    let seen = stampOf(value);
    if (seen === undefined) return EMPTY;
    return timer(everyMs, everyMs, scheduler).pipe(
      map(() => stampOf(value)),
      filter((stamp) => stamp !== seen),
      tap((stamp) => {
        seen = stamp;
      }),
      map(() => value),
    );
  });
}
