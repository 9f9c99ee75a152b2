import { attemptOf } from '../../events/attempt.ts';
import type { Attempt, OutgoingEvent } from '../../events/outgoing.ts';
import { retryAfterMs } from '../../kube/retry-after.ts';
import { type Log, silentLog } from '../../log.ts';
import type { Measure } from '../../metrics/own.ts';
import { codeOf } from '../error-code.ts';
import { Deadline } from './deadline.ts';
import { endsWith } from './ends-with.ts';
import { eventHeaders } from './event-headers.ts';
import { failedPost } from './failed-post.ts';
import { type Line, openLine } from './open-line.ts';
import type { Posting } from './post-once.ts';
import { noProxy, type ProxyOf } from './read-proxies.ts';
import { noCredentials, type SinkCredentials } from './sink-credentials.ts';
import { readTarget, type Target } from './target.ts';

export interface SinkOptions {
  /** Covers all of an attempt: connecting, the headers and the body of the answer, in-line tries. Default 30,000. */
  readonly timeoutMs?: number;
  /** Connections to the sink at most; default 64. */
  readonly maxConnections?: number;
  readonly measure: Measure;
  /** Clock for a `Retry-After` that is a date; default Date.now. */
  readonly now?: () => number;
  /** Default: what the URL says, and the authorities that Node trusts. */
  readonly credentials?: SinkCredentials;
  /** Default: none, whatever the environment says. */
  readonly proxyOf?: ProxyOf;
  /** Asked at the moment a request is written; where it says no, the attempt fails unwritten. Default: always yes. */
  readonly mayPost?: () => boolean;
  readonly log?: Log;
}

export interface Sink {
  /**
   * Posts an event once and says what came of it; once more where the sink answers 401 and the Authorization file
   * holds something new. Rejects only with the signal's reason, when that aborts.
   *
   * Another URL or another certificate than before retires the connections made with the old as soon as they are done.
   */
  post(event: OutgoingEvent, url: string, signal: AbortSignal): Promise<Attempt>;
  /** Ends every connection now, also one that has yet to stand; what is under way to the present URL fails. */
  close(): Promise<void>;
}

/** A sink that posts over kept connections, HTTP/1.1, without following redirects. */
export function createSink({ timeoutMs = 30_000, now = Date.now, ...options }: SinkOptions): Sink {
  const { measure, credentials = noCredentials, mayPost = () => true } = options;
  let line: Line | undefined;

  function lineTo(url: string): Line | undefined {
    const tls = credentials.tls();
    if (line?.url === url && line.tls === tls) return line;
    const target = readTarget(url);
    if (target === undefined) return undefined;
    void line?.close();
    line = open(url, target, { ...options, timeoutMs, credentials });
    return line;
  }

  async function post(request: Request, event: OutgoingEvent, deadline: Deadline) {
    const answer = await send(request, { body: event.body, mayPost }, deadline);
    const { authorization } = request;
    if (answer.status !== 401 || authorization === undefined) return answer;
    const fresh = credentials.freshAuthorization();
    if (fresh === undefined || fresh === authorization) return answer;
    measure.count('event_delivery_attempts_total', { result: '4xx' });
    return send({ ...request, authorization: fresh }, { body: event.body, mayPost }, deadline);
  }

  return {
    async post(event, url, signal) {
      signal.throwIfAborted();
      const request = requestOf(event, credentials, () => lineTo(url));
      if ('outcome' in request) return request;
      const deadline = new Deadline(timeoutMs);
      const stayOn = endsWith(signal, deadline);
      try {
        const { status, retryAfter } = await post(request, event, deadline);
        return attemptOf(status, retryAfterMs(retryAfter, now()));
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        return deadline.ended ? timedOut(timeoutMs) : failedPost(codeOf(error));
      } finally {
        stayOn();
        deadline.clear();
      }
    },
    close: async () => {
      await line?.destroy();
      line = undefined;
    },
  };
}

type LineNeeds = Omit<SinkOptions, 'now' | 'mayPost'> & {
  readonly timeoutMs: number;
  readonly credentials: SinkCredentials;
};

function open(url: string, target: Target, options: LineNeeds): Line {
  const { credentials, proxyOf = noProxy, maxConnections = 64, timeoutMs, measure, log = silentLog } = options;
  const origin = new URL(target.origin);
  const authorization = credentials.authorization() ?? target.authorization;
  if (authorization !== undefined && origin.protocol === 'http:') {
    log.warn({}, 'the sink has no TLS, its Authorization header can be read on the way');
  }
  const onRetry = (code: string) => countTry(measure, code);
  return openLine({ url, target, tls: credentials.tls(), proxy: proxyOf(origin), maxConnections, timeoutMs, onRetry });
}

interface Request {
  readonly line: Line;
  readonly headers: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
}

function requestOf(
  event: OutgoingEvent,
  credentials: SinkCredentials,
  findLine: () => Line | undefined,
): Request | Attempt {
  const line = findLine();
  if (line === undefined) {
    const problem = 'the sink is no http or https URL';
    return { outcome: 'failed', result: 'broken', problem, retryAfterMs: undefined };
  }
  try {
    // Whoever mounts a file means it, whatever the URL says.
    const authorization = credentials.authorization() ?? line.target.authorization;
    return { line, headers: eventHeaders(event), authorization };
  } catch {
    return { outcome: 'unencodable', problem: 'the event is no valid CloudEvent' };
  }
}

function send({ line, headers, authorization }: Request, more: Pick<Posting, 'body' | 'mayPost'>, deadline: Deadline) {
  const { origin, path } = line.target;
  const all = authorization === undefined ? headers : { ...headers, authorization };
  return line.post({ origin, path, headers: all, ...more }, deadline);
}

function countTry(measure: Measure, code: string): void {
  const attempt = failedPost(code);
  if (attempt.outcome === 'failed') measure.count('event_delivery_attempts_total', { result: attempt.result });
}

function timedOut(timeoutMs: number): Attempt {
  const problem = `no answer within ${timeoutMs / 1000} s`;
  return { outcome: 'failed', result: 'timeout', problem, retryAfterMs: undefined };
}
