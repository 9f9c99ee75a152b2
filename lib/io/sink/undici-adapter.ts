import { type AxiosAdapter, AxiosError, AxiosHeaders, type AxiosResponse } from 'axios';
import type { Dispatcher } from 'undici';

/** Bytes of an answer's body that are read before the connection is closed: nobody reads them. */
const maxAnswerBytes = 64 * 1024;

/**
 * All of a request, as the one thing that axios hands on untouched: an instance of a class.
 *
 * As url, headers and signal of the axios request, each would be copied, checked and parsed several times for each
 * event, at the price of a third of the throughput; and axios turns an answer whose status came in time into a
 * cancellation when its signal aborts while the body is read.
 */
export class Posting {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;

  constructor({ origin, path, headers, body, signal }: Posting) {
    this.origin = origin;
    this.path = path;
    this.headers = headers;
    this.body = body;
    this.signal = signal;
  }
}

/**
 * An axios adapter over an undici dispatcher, about three times as fast as axios over node:http; for `Posting`s.
 *
 * Every answer is a response, whatever its status, without a body; redirects are answers like any other. Rejects with
 * an AxiosError that keeps the code of what happened and has it as cause.
 */
export function undiciAdapter(dispatcher: Dispatcher): AxiosAdapter {
  return async (config): Promise<AxiosResponse> => {
    const { origin, path, headers, body, signal }: Posting = config.data;
    try {
      const answer = await dispatcher.request({ origin, path, method: 'POST', headers, body, signal });
      // The status is the answer. A body that breaks off or never ends changes nothing about it.
      await answer.body.dump({ limit: maxAnswerBytes, signal }).catch(() => {});
      const { 'retry-after': retryAfter } = answer.headers;
      const kept = new AxiosHeaders(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });
      return { data: undefined, status: answer.statusCode, statusText: '', headers: kept, config };
    } catch (error) {
      throw AxiosError.from(error, (error as { code?: string }).code, config);
    }
  };
}
