import type { Dispatcher } from 'undici';
import { KubeError, type WatchLine } from '../../kube/api.ts';
import { type Asked, answerError, asWords } from '../../kube/failure.ts';
import { retryAfterMs } from '../../kube/retry-after.ts';
import type { Measure } from '../../metrics/own.ts';
import type { KubeConnection } from './kube-connection.ts';
import { createKubePools } from './kube-pools.ts';
import { maxRefusalBytes, openWatch } from './open-watch.ts';
import { transportError } from './transport-error.ts';

/** Where the transport leads and what it says about itself. */
interface TransportOptions {
  readonly connection: KubeConnection;
  readonly measure: Measure;
  /** Milliseconds from sending a request to the headers of its answer, or to its failure; every request but watches. */
  readonly onLatency: (ms: number) => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly userAgent: string;
  /** For an answer to begin, and between two pieces of it. */
  readonly callTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly silenceMs: number;
  readonly maxLineBytes: number;
  readonly maxCallConnections: number;
}

/** One request: what it is for, and how it is put. */
export interface Call {
  readonly asked: Asked;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its query, below the server's URL. */
  readonly path: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** One watch: what is watched, and how its lines are handed over; see `KubeApi.watch`. */
interface WatchCall {
  readonly asked: Asked;
  readonly path: string;
  readonly unparsed: boolean;
  readonly onLines: (lines: readonly WatchLine[]) => void;
  readonly signal: AbortSignal;
}

export interface Transport {
  /** Hands over the bytes of a 2xx answer as they arrive. Rejects as `call` does, be it in the middle. */
  pieces(call: Call, onPiece: (piece: Buffer) => void): Promise<void>;
  /** The JSON object of a 2xx answer. Rejects with a KubeError, or with the signal's reason. */
  call(call: Call): Promise<Readonly<Record<string, unknown>>>;
  watch(watch: WatchCall): Promise<void>;
  close(): Promise<void>;
}

/**
 * Requests to one API server, over kept connections, counted by verb and code and timed.
 *
 * Credentials are asked for with every request; after a 401 they are refreshed and the request is sent once more.
 */
export function createTransport(options: TransportOptions): Transport {
  const { connection, measure, now } = options;
  const { origin, pathname } = new URL(connection.serverUrl);
  const prefix = pathname.replace(/\/$/, '');
  const pools = createKubePools(options);

  const headersFor = async (body: unknown): Promise<Record<string, string>> => ({
    accept: 'application/json',
    'user-agent': options.userAgent,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(await connection.authorization()),
  });

  const refusal = (asked: Asked, code: number, headers: Readonly<Record<string, unknown>>, body: string) =>
    answerError(asked, { code, retryAfterMs: retryAfterMs(headers['retry-after'], now()), status: parsed(body) });

  /** Runs a request, and once more with refreshed credentials after a 401. */
  async function send<T>(asked: Asked, signal: AbortSignal | undefined, once: Once<T>): Promise<T> {
    const attempt = () => counted({ asked, signal, once, measure, origin });
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof KubeError) || error.code !== 401) throw error;
      connection.refresh();
      return attempt();
    }
  }

  async function callOnce({ asked, method, path, body, signal }: Call, onStatus: (code: number) => void) {
    const headers = await headersFor(body);
    const startedAt = performance.now();
    const request = {
      method,
      path: prefix + path,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      headersTimeout: options.callTimeoutMs,
      bodyTimeout: options.callTimeoutMs,
      signal: signal ?? null,
    };
    const answer = await pools.calls.request(request).finally(() => {
      if (signal?.aborted !== true) options.onLatency(performance.now() - startedAt);
    });
    onStatus(answer.statusCode);
    if (answer.statusCode >= 200 && answer.statusCode < 300) return answer.body;
    throw refusal(asked, answer.statusCode, answer.headers, await startOf(answer.body));
  }

  return {
    pieces: (call, onPiece) =>
      send(call.asked, call.signal, async (onStatus) => {
        for await (const piece of await callOnce(call, onStatus)) onPiece(piece);
      }),
    call: (call) =>
      send(call.asked, call.signal, async (onStatus) =>
        objectOf(call.asked, await (await callOnce(call, onStatus)).text()),
      ),
    watch: ({ asked, path, unparsed, onLines, signal }) => {
      // What the caller's own code throws is no answer of the server's and is handed back as it is.
      let thrown: { readonly error: unknown } | undefined;
      const guarded = (lines: readonly WatchLine[]) => {
        try {
          onLines(lines);
        } catch (error) {
          thrown = { error };
          throw error;
        }
      };
      return send(asked, signal, async (onStatus) =>
        openWatch({
          asked,
          dispatcher: pools.watches,
          path: prefix + path,
          headers: await headersFor(undefined),
          headersTimeoutMs: options.callTimeoutMs,
          silenceMs: options.silenceMs,
          maxLineBytes: options.maxLineBytes,
          unparsed,
          onStatus,
          refusal: (code, headers, body) => refusal(asked, code, headers, body),
          onLines: guarded,
          signal,
        }),
      ).catch((error) => {
        throw thrown === undefined ? error : thrown.error;
      });
    },
    close: () => pools.close(),
  };
}

/** One try of a request; `onStatus` takes the status of its answer. */
type Once<T> = (onStatus: (code: number) => void) => Promise<T>;

interface Attempt<T> {
  readonly asked: Asked;
  readonly signal: AbortSignal | undefined;
  readonly once: Once<T>;
  readonly measure: Measure;
  readonly origin: string;
}

/** One try, counted by its status, 0 where none came; what goes wrong becomes a KubeError or the signal's reason. */
async function counted<T>({ asked, signal, once, measure, origin }: Attempt<T>): Promise<T> {
  let answered = false;
  const count = (code: number) => measure.count('api_requests_total', { verb: asked.verb, code: `${code}` });
  try {
    return await once((code) => {
      answered = true;
      count(code);
    });
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    if (!answered) count(0);
    throw transportError(asked, origin, error);
  }
}

/** The JSON object that an answer's text is. Rejects `malformed` where it is none; the text stays out of the sentence. */
export function objectOf(asked: Asked, text: string): Readonly<Record<string, unknown>> {
  const value = parsed(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  const came = value === undefined ? 'no JSON' : 'JSON of another kind';
  throw new KubeError(
    'malformed',
    `${asWords(asked)}: expected a JSON object, got ${came} of ${text.length} characters`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The first 64 KB of a body; the rest is not read and its connection given up. */
async function startOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= maxRefusalBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxRefusalBytes).toString();
}
