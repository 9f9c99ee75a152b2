import type { Dispatcher } from 'undici';
import type { Deadline } from './deadline.ts';

/** All of a request. */
export interface Posting {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /**
   * Asked once more when the request is about to be written, which may be long after it was handed over: a connection
   * had to be made first, or the whole process was stopped meanwhile.
   */
  readonly mayPost: () => boolean;
}

/** What of an answer matters. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** Bytes of an answer's body that are read before the connection is closed: nobody reads them. */
const maxAnswerBytes = 64 * 1024;

/**
 * Posts once over a dispatcher. Redirects are answers like any other.
 *
 * Resolves when the answer has been read, or as much of it as there will be: a body that breaks off, is too long or
 * has no end within the deadline changes nothing about the status. Rejects with undici's error, which carries a code.
 */
export function postOnce(
  dispatcher: Dispatcher,
  { mayPost, ...request }: Posting,
  deadline: Deadline,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (deadline.ended) throw new Error('the attempt has ended');
    const handler = new AnswerHandler({ resolve, reject }, mayPost);
    deadline.onEnd = () => handler.end(new Error('the attempt has ended'));
    // Straight to the handler: undici.request makes a stream, a signal and three promises of each answer.
    dispatcher.dispatch({ ...request, method: 'POST' }, handler);
  });
}

interface Settle {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** Takes an answer apart as it comes. */
class AnswerHandler implements Dispatcher.DispatchHandler {
  readonly #settle: Settle;
  readonly #mayPost: () => boolean;
  #controller: Dispatcher.DispatchController | undefined;
  #answer: Answer | undefined;
  #bytes = 0;
  #ended: Error | undefined;

  constructor(settle: Settle, mayPost: () => boolean) {
    this.#settle = settle;
    this.#mayPost = mayPost;
  }

  /** Settles with what there is and breaks the request off; one that waits for a connection is never written. */
  end(reason: Error): void {
    this.#ended = reason;
    this.#done(reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#ended === undefined && !this.#mayPost()) this.#ended = new Error('this replica may not post any more');
    if (this.#ended !== undefined) controller.abort(this.#ended);
  }

  onResponseStart(_: unknown, status: number, headers: Readonly<Record<string, string | string[] | undefined>>): void {
    // 102 Processing and 103 Early Hints come before the answer; a 100 that nobody asked for ends the connection.
    if (status < 200) return;
    const retryAfter = headers['retry-after'];
    this.#answer = { status, retryAfter: retryAfter === undefined ? undefined : String(retryAfter) };
  }

  onResponseData(_: unknown, { byteLength }: Buffer): void {
    this.#bytes += byteLength;
    if (this.#bytes > maxAnswerBytes) this.end(new Error('the body of the answer is too long'));
  }

  onResponseEnd(): void {
    this.#done(undefined);
  }

  onResponseError(_: unknown, error: Error): void {
    this.#done(error);
  }

  // Without an error of its own for an answer that ends well: its stack is a twelfth of what a delivered event costs.
  #done(problem: Error | undefined): void {
    if (this.#answer !== undefined) this.#settle.resolve(this.#answer);
    else this.#settle.reject(problem ?? new Error('the answer had no status'));
  }
}
