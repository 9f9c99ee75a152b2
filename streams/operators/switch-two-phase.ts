import {
  asyncScheduler,
  catchError,
  debounce,
  defer,
  EMPTY,
  finalize,
  type MonoTypeOperatorFunction,
  Observable,
  type ObservableInput,
  type OperatorFunction,
  type SchedulerLike,
  type Subscription,
  take,
  tap,
  timer,
} from 'rxjs';

interface Options<S, E> {
  /** Edits that come closer together than this are one edit. */
  readonly debounceMs: number;
  /** Edits that never stop are taken up this often: 5 times `debounceMs` by default. */
  readonly maxWaitMs?: number;
  /** Makes and starts what these settings ask for; its first value counts. Throwing refuses the settings. */
  readonly build: (settings: S) => ObservableInput<E>;
  /** Flushes and stops what `build` made; its completion is awaited at the end, its values are not. */
  readonly stop: (current: E) => ObservableInput<unknown>;
  /** Settings were refused: what was there stays. */
  readonly onRefused: (error: unknown, settings: S) => void;
  /** Stopping failed; it counts as stopped. */
  readonly onStopFailed: (error: unknown) => void;
  /** Former ones that may be flushing when the next is built: 4 by default. */
  readonly maxStopping?: number;
  readonly scheduler?: SchedulerLike;
}

/**
 * What the latest settings ask for: the new one is built first, then the old one is flushed and stopped.
 *
 * Emits each new one as soon as it is built. One is built at a time; a slow flush holds nothing up until `maxStopping`
 * are under way. Of the settings that come meanwhile, the latest is taken up. Completion waits for a switch under way
 * and for every stop; an error too. Unsubscribing stops what is there, and what is still being built as soon as it is;
 * nobody waits for that.
 */
export function switchTwoPhase<S, E>(options: Options<S, E>): OperatorFunction<S, E> {
  return (settings$) =>
    new Observable((subscriber) => {
      const state = createSwitch(options, (current) => subscriber.next(current));
      const subscription: Subscription = settings$.pipe(settled(options)).subscribe({
        next: (settings) => state.want(settings),
        error: (error) => state.end(() => subscriber.error(error)),
        complete: () => state.end(() => subscriber.complete()),
      });
      return () => {
        subscription.unsubscribe();
        state.abandon();
      };
    });
}

type Pace = Pick<Options<never, never>, 'debounceMs' | 'maxWaitMs' | 'scheduler'>;

/** The last of each burst; of a burst without end, one now and then. */
function settled<S>({
  debounceMs,
  maxWaitMs = 5 * debounceMs,
  scheduler = asyncScheduler,
}: Pace): MonoTypeOperatorFunction<S> {
  return (settings$) =>
    defer(() => {
      let sinceMs: number | undefined;
      const pause = () => {
        const nowMs = scheduler.now();
        sinceMs ??= nowMs;
        return timer(Math.max(0, Math.min(debounceMs, sinceMs + maxWaitMs - nowMs)), scheduler);
      };
      return settings$.pipe(
        debounce(pause),
        tap(() => {
          sinceMs = undefined;
        }),
      );
    });
}

function createSwitch<S, E>(
  { build, stop, onRefused, onStopFailed, maxStopping = 4 }: Options<S, E>,
  emit: (current: E) => void,
) {
  let wanted: { readonly settings: S } | undefined;
  let current: { readonly value: E } | undefined;
  let building = false;
  let stopping = 0;
  let ended: (() => void) | undefined;

  // Neither a build nor a flush is tied to the subscriber: it goes on when nobody listens any more.

  const retire = (value: E) => {
    stopping += 1;
    const stopped$ = defer(() => stop(value)).pipe(
      catchError((error: unknown) => {
        onStopFailed(error);
        return EMPTY;
      }),
      finalize(() => {
        stopping -= 1;
        next();
      }),
    );
    stopped$.subscribe();
  };

  const replace = (value: E) => {
    const old = current;
    current = { value };
    emit(value);
    if (old !== undefined) retire(old.value);
  };

  const start = (settings: S) => {
    building = true;
    const built$ = defer(() => build(settings)).pipe(
      take(1),
      catchError((error: unknown) => {
        onRefused(error, settings);
        return EMPTY;
      }),
      finalize(() => {
        building = false;
        next();
      }),
    );
    built$.subscribe(replace);
  };

  const finish = (tell: () => void) => {
    if (current !== undefined) {
      const { value } = current;
      current = undefined;
      retire(value);
    } else if (stopping === 0) {
      ended = () => {};
      tell();
    }
  };

  function next(): void {
    if (building) return;
    if (wanted === undefined) {
      if (ended !== undefined) finish(ended);
    } else if (stopping < maxStopping) {
      const { settings } = wanted;
      wanted = undefined;
      start(settings);
    }
  }

  const end = (tell: () => void) => {
    ended ??= tell;
    next();
  };

  return {
    want(settings: S) {
      wanted = { settings };
      next();
    },
    end,
    abandon() {
      wanted = undefined;
      end(() => {});
    },
  };
}
