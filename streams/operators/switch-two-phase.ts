import {
  asyncScheduler,
  catchError,
  concatMap,
  debounceTime,
  defer,
  EMPTY,
  finalize,
  ignoreElements,
  Observable,
  type ObservableInput,
  type OperatorFunction,
  type SchedulerLike,
  type Subscription,
  take,
} from 'rxjs';

interface Options<S, E> {
  /** Edits that come closer together than this are one edit. */
  readonly debounceMs: number;
  /** Makes and starts what these settings ask for; its first value counts. Throwing refuses the settings. */
  readonly build: (settings: S) => ObservableInput<E>;
  /** Flushes and stops what `build` made; its completion is awaited, its values are not. */
  readonly stop: (current: E) => ObservableInput<unknown>;
  /** Settings were refused: what was there stays. */
  readonly onRefused: (error: unknown, settings: S) => void;
  /** Stopping failed; it counts as stopped. */
  readonly onStopFailed: (error: unknown) => void;
  readonly scheduler?: SchedulerLike;
}

/**
 * What the latest settings ask for: the new one is built first, then the old one is flushed and stopped.
 *
 * Emits each new one as soon as it is built. Switches go one after the other; of the settings that come during one,
 * the latest is taken up when it is over. Completion waits for a switch under way and for the last stop; an error too.
 * Unsubscribing stops what is there, and what is still being built as soon as it is; nobody waits for that.
 */
export function switchTwoPhase<S, E>(options: Options<S, E>): OperatorFunction<S, E> {
  const { debounceMs, scheduler = asyncScheduler } = options;
  return (settings$) =>
    new Observable((subscriber) => {
      const state = createSwitch(options, (current) => subscriber.next(current));
      const subscription: Subscription = settings$.pipe(debounceTime(debounceMs, scheduler)).subscribe({
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

interface Wanted<S> {
  readonly settings: S;
}

function createSwitch<S, E>({ build, stop, onRefused, onStopFailed }: Options<S, E>, emit: (current: E) => void) {
  let wanted: Wanted<S> | undefined;
  let current: { readonly value: E } | undefined;
  let busy = false;
  let ended: (() => void) | undefined;

  const stopped = (value: E) =>
    defer(() => stop(value)).pipe(
      ignoreElements(),
      catchError((error: unknown) => {
        onStopFailed(error);
        return EMPTY;
      }),
    );

  const replace = (value: E) => {
    const old = current;
    current = { value };
    emit(value);
    return old === undefined ? EMPTY : stopped(old.value);
  };

  const switchTo = (settings: S) =>
    defer(() => build(settings)).pipe(
      take(1),
      catchError((error: unknown) => {
        onRefused(error, settings);
        return EMPTY;
      }),
      concatMap(replace),
    );

  const run = (work$: Observable<unknown>) => {
    busy = true;
    // Not tied to the subscriber: a flush under way goes on when nobody listens any more.
    work$.pipe(finalize(next)).subscribe();
  };

  const finish = (tell: () => void) => {
    const last = current;
    current = undefined;
    if (last === undefined) tell();
    else run(stopped(last.value));
  };

  function next(): void {
    busy = false;
    if (wanted !== undefined) {
      const { settings } = wanted;
      wanted = undefined;
      run(switchTo(settings));
    } else if (ended !== undefined) finish(ended);
  }

  const end = (tell: () => void) => {
    ended ??= tell;
    if (!busy) next();
  };

  return {
    want(settings: S) {
      wanted = { settings };
      if (!busy) next();
    },
    end,
    abandon() {
      wanted = undefined;
      end(() => {});
    },
  };
}
