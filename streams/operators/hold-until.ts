import { type MonoTypeOperatorFunction, Observable } from 'rxjs';

interface Options {
  /** Whether a value may pass at this very moment. */
  readonly mayPass: () => boolean;
  /** Each value lets through what is held, as far as `mayPass` goes. */
  readonly retry$: Observable<unknown>;
  /** Values that may be held; one more is an error. */
  readonly limit: number;
}

/**
 * Holds values back, in order, while they may not pass.
 *
 * The question is asked at each value and not answered by a timer: a process that was stopped for a minute must
 * not act on what it finds in its sockets before it has noticed. Held values are let go when the source completes
 * only if they may pass; an error passes at once.
 */
export function holdUntil<T>({ mayPass, retry$, limit }: Options): MonoTypeOperatorFunction<T> {
  return (source$) =>
    new Observable((subscriber) => {
      let held: T[] = [];
      const letGo = () => {
        let passed = 0;
        while (passed < held.length && mayPass()) subscriber.next(held[passed++] as T);
        held = held.slice(passed);
      };
      const retries = retry$.subscribe(() => letGo());
      const values = source$.subscribe({
        next: (value) => {
          if (held.length === 0 && mayPass()) return subscriber.next(value);
          held.push(value);
          if (held.length > limit) subscriber.error(new Error(`more than ${limit} values wait for leave to pass`));
        },
        error: (error) => subscriber.error(error),
        complete: () => {
          letGo();
          subscriber.complete();
        },
      });
      return () => {
        retries.unsubscribe();
        values.unsubscribe();
      };
    });
}
