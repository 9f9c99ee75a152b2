import axios, { type AxiosInstance, isAxiosError } from 'axios';
import axiosRetry from 'axios-retry';
import { Agent } from 'undici';
import { attemptOf } from '../../events/attempt.ts';
import type { Attempt, OutgoingEvent } from '../../events/outgoing.ts';
import { retryAfterMs } from '../../kube/retry-after.ts';
import type { Measure } from '../../metrics/own.ts';
import { eventHeaders } from './event-headers.ts';
import { failedPost } from './failed-post.ts';
import { readTarget, type Target } from './target.ts';
import { Posting, undiciAdapter } from './undici-adapter.ts';

export interface SinkOptions {
  /** Covers all of an attempt: connecting, the headers and the body of the answer, in-line tries. Default 30,000. */
  readonly timeoutMs?: number;
  /** Connections to the sink at most; default 64. */
  readonly maxConnections?: number;
  readonly measure: Measure;
  /** Clock for a `Retry-After` that is a date; default Date.now. */
  readonly now?: () => number;
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string;
}

export interface Sink {
  /**
   * Posts an event once and says what came of it. Rejects only with the signal's reason, when that aborts.
   *
   * Another URL than the one before retires the connections of the old as soon as they are done.
   */
  post(event: OutgoingEvent, url: string, signal: AbortSignal): Promise<Attempt>;
  /** Closes every connection; what is under way ends as it would. */
  close(): Promise<void>;
}

/** One URL with its connections. */
interface Line {
  readonly url: string;
  readonly target: Target;
  readonly agent: Agent;
  readonly client: AxiosInstance;
}

/** In-line tries after a kept connection turned out to be dead. Long waits belong to the queue. */
const inLineTries = 2;
const deadConnection = /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/;

/** A sink that posts over kept connections, HTTP/1.1, without following redirects. */
export function createSink({ timeoutMs = 30_000, now = Date.now, ...options }: SinkOptions): Sink {
  let line: Line | undefined;

  function lineTo(url: string): Line | undefined {
    if (line?.url === url) return line;
    const target = readTarget(url);
    if (target === undefined) return undefined;
    void line?.agent.close();
    const agent = createAgent(options, timeoutMs);
    line = { url, target, agent, client: createClient(agent, options.measure) };
    return line;
  }

  return {
    async post(event, url, signal) {
      signal.throwIfAborted();
      const request = requestOf(event, () => lineTo(url));
      if ('outcome' in request) return request;
      const deadline = deadlineOf(timeoutMs, signal);
      try {
        const answer = await send(request, event.body, deadline.signal);
        return attemptOf(answer.status, retryAfterMs(answer.headers['retry-after'], now()));
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        return deadline.signal.aborted ? timedOut(timeoutMs) : failedPost(codeOf(error));
      } finally {
        deadline.clear();
      }
    },
    close: async () => {
      await line?.agent.close();
      line = undefined;
    },
  };
}

interface Request {
  readonly line: Line;
  readonly headers: Readonly<Record<string, string>>;
}

function requestOf(event: OutgoingEvent, findLine: () => Line | undefined): Request | Attempt {
  const line = findLine();
  if (line === undefined) {
    return {
      outcome: 'failed',
      result: 'broken',
      problem: 'the sink is no http or https URL',
      retryAfterMs: undefined,
    };
  }
  try {
    const { authorization } = line.target;
    const headers = eventHeaders(event);
    return { line, headers: authorization === undefined ? headers : { ...headers, authorization } };
  } catch {
    return { outcome: 'unencodable', problem: 'the event is no valid CloudEvent' };
  }
}

function send({ line: { client, target }, headers }: Request, body: Uint8Array, signal: AbortSignal) {
  const { origin, path } = target;
  return client.request({ method: 'post', data: new Posting({ origin, path, headers, body, signal }) });
}

function createAgent(
  { maxConnections = 64, ca }: Pick<SinkOptions, 'maxConnections' | 'ca'>,
  timeoutMs: number,
): Agent {
  const connect = { timeout: timeoutMs, ...(ca === undefined ? {} : { ca }) };
  // Its own limits are off: one deadline covers the whole attempt.
  return new Agent({ connections: maxConnections, allowH2: false, headersTimeout: 0, bodyTimeout: 0, connect });
}

function createClient(agent: Agent, measure: Measure): AxiosInstance {
  const client = axios.create({
    adapter: undiciAdapter(agent),
    validateStatus: () => true,
    // The default would send the whole buffer behind a view.
    transformRequest: [(data) => data],
    transformResponse: [],
    maxRedirects: 0,
    proxy: false,
  });
  for (const defaults of [client.defaults.headers.common, client.defaults.headers.post]) {
    for (const name of Object.keys(defaults)) delete defaults[name];
  }
  axiosRetry(client, {
    retries: inLineTries,
    retryCondition: (error) => deadConnection.test(error.code ?? ''),
    retryDelay: () => 0,
    onRetry: (_, error) => countTry(measure, error.code ?? ''),
  });
  return client;
}

function countTry(measure: Measure, code: string): void {
  const attempt = failedPost(code);
  if (attempt.outcome === 'failed') measure.count('event_delivery_attempts_total', { result: attempt.result });
}

/** A signal that aborts with the outer one, or when the time is up; `clear` ends both. */
function deadlineOf(timeoutMs: number, outer: AbortSignal): { readonly signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, timeoutMs);
  outer.addEventListener('abort', abort, { once: true });
  const clear = () => {
    clearTimeout(timer);
    outer.removeEventListener('abort', abort);
  };
  return { signal: controller.signal, clear };
}

function timedOut(timeoutMs: number): Attempt {
  const problem = `no answer within ${timeoutMs / 1000} s`;
  return { outcome: 'failed', result: 'timeout', problem, retryAfterMs: undefined };
}

function codeOf(error: unknown): string {
  return isAxiosError(error) ? (error.code ?? '') : '';
}
