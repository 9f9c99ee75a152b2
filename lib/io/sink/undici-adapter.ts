import { type AxiosAdapter, AxiosError, AxiosHeaders, type AxiosResponse } from 'axios';
import type { Dispatcher } from 'undici';

/** Bytes of an answer's body that are read before the connection is closed: nobody reads them. */
const maxAnswerBytes = 64 * 1024;

/**
 * What a request carries as its data.
 *
 * The signal is here and not in the request's own `signal`: there, axios turns an answer whose status came in time
 * into a cancellation when the signal aborts while the body is read.
 */
export interface Posting {
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
}

/**
 * An axios adapter over an undici dispatcher, about three times as fast as axios over node:http.
 *
 * Every answer is a response, whatever its status, without a body; redirects are answers like any other. Rejects with
 * an AxiosError that keeps the code of what happened and has it as cause.
 */
export function undiciAdapter(dispatcher: Dispatcher): AxiosAdapter {
  return async (config): Promise<AxiosResponse> => {
    const { pathname, search, origin } = new URL(config.url ?? '');
    const { body, signal }: Posting = config.data;
    try {
      const answer = await dispatcher.request({
        origin,
        path: pathname + search,
        method: 'POST',
        headers: Object.fromEntries(
          Object.entries(config.headers.toJSON()).map(([name, value]) => [name, String(value)]),
        ),
        body,
        signal,
      });
      // The status is the answer. A body that breaks off or never ends changes nothing about it.
      await answer.body.dump({ limit: maxAnswerBytes, signal }).catch(() => {});
      const headers = new AxiosHeaders(answer.headers as Record<string, string>);
      return { data: undefined, status: answer.statusCode, statusText: '', headers, config };
    } catch (error) {
      throw AxiosError.from(error, (error as { code?: string }).code, config);
    }
  };
}
