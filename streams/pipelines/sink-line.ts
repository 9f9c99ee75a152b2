import { catchError, defaultIfEmpty, from, merge, type Observable, of, Subject, take } from 'rxjs';
import type { Attempt, OutgoingEvent } from '../../lib/events/outgoing.ts';
import type { DeliverOptions } from './delivery.ts';

const noAnswer: Attempt = {
  outcome: 'failed',
  result: 'broken',
  problem: 'the post ended without an answer',
  retryAfterMs: undefined,
};

/** One sink URL for as long as events go there, and a way to break off what is in flight to it. */
export class SinkLine {
  readonly url: string;
  readonly #controller = new AbortController();
  readonly #ended$ = new Subject<undefined>();

  constructor(url: string) {
    this.url = url;
  }

  /** Emits once what a post came to; undefined when the line ended before. */
  send(post: DeliverOptions['post'], event: OutgoingEvent): Observable<Attempt | undefined> {
    const attempt$ = from(post(event, this.url, this.#controller.signal)).pipe(
      defaultIfEmpty(noAnswer),
      catchError(() => of(noAnswer)),
    );
    return merge(this.#ended$, attempt$).pipe(take(1));
  }

  /** Breaks off every post. */
  end(): void {
    // In this order: the posts that the signal ends must find nobody listening.
    this.#ended$.next(undefined);
    this.#controller.abort();
  }
}
