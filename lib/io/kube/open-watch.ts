import type { Dispatcher } from 'undici';
import { KubeError, type WatchLine } from '../../kube/api.ts';
import { type Asked, asWords } from '../../kube/failure.ts';
import { codeOf } from '../error-code.ts';
import { createLineSplitter, type LineSplitter, type OnLine } from './line-splitter.ts';
import { parseLine } from './parse-line.ts';
import { unparsedLine } from './unparsed-line.ts';

interface Options {
  readonly asked: Asked;
  readonly dispatcher: Dispatcher;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly headersTimeoutMs: number;
  /** How long the server may say nothing, not even a bookmark. */
  readonly silenceMs: number;
  readonly maxLineBytes: number;
  /** Lines about objects come unparsed where they are as a kube-apiserver writes them. */
  readonly unparsed: boolean;
  /** Called once, with the status of the answer. */
  readonly onStatus: (code: number) => void;
  /** The error behind an answer other than 200, from the start of its body. */
  readonly refusal: (code: number, headers: Readonly<Record<string, unknown>>, body: string) => KubeError;
  readonly onLines: (lines: readonly WatchLine[]) => void;
  readonly signal: AbortSignal;
}

/** What is read of an answer that refuses: its Status says why in less. */
export const maxRefusalBytes = 65_536;

/**
 * One watch, from request to end: hands over its lines a chunk at a time and resolves when the server ends it.
 *
 * Rejects with a KubeError for what the server said, `silent` included, with the connection's own error, with what
 * `onLines` threw, or with the signal's reason; the socket is closed in each case. A last line without its newline
 * is left out: the server was cut off, and a watch resumed from the line before gets it again.
 */
export function openWatch(options: Options): Promise<void> {
  const { asked, dispatcher, path, headers, headersTimeoutMs, silenceMs, signal } = options;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let controller: Dispatcher.DispatchController | undefined;
  let receive: Receiver | undefined;

  const fail = (error: Error) => {
    reject(error);
    controller?.abort(error);
  };
  const onAbort = () => fail(asError(signal.reason));
  if (signal.aborted) return Promise.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });

  const attempt = (step: () => void) => {
    try {
      step();
    } catch (error) {
      fail(asError(error));
    }
  };

  dispatcher.dispatch(
    { method: 'GET', path, headers, headersTimeout: headersTimeoutMs, bodyTimeout: silenceMs, blocking: true },
    {
      onRequestStart(opened) {
        controller = opened;
        // Aborted while it waited for its connection: there was nothing to close then.
        if (signal.aborted) opened.abort(asError(signal.reason));
      },
      onResponseStart: (_, code, answered) =>
        attempt(() => {
          options.onStatus(code);
          receive = code === 200 ? lineReceiver(options) : refusalReceiver(options, code, answered);
        }),
      onResponseData: (_, chunk) => attempt(() => receive?.data(chunk)),
      onResponseEnd: () =>
        attempt(() => {
          receive?.end();
          resolve();
        }),
      onResponseError: (_, error) =>
        reject(codeOf(error) === 'UND_ERR_BODY_TIMEOUT' ? silence(asked, silenceMs) : error),
    },
  );
  return promise.finally(() => signal.removeEventListener('abort', onAbort));
}

interface Receiver {
  data(chunk: Buffer): void;
  end(): void;
}

function refusalReceiver({ refusal }: Options, code: number, headers: Readonly<Record<string, unknown>>): Receiver {
  const chunks: Buffer[] = [];
  let size = 0;
  const end = () => {
    throw refusal(code, headers, Buffer.concat(chunks).toString());
  };
  return {
    data(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxRefusalBytes) end();
    },
    end,
  };
}

function lineReceiver({ asked, maxLineBytes, unparsed, onLines }: Options): Receiver {
  const splitter = createLineSplitter(maxLineBytes);
  const read = (bytes: Buffer, start: number, end: number) =>
    (unparsed ? unparsedLine(asked, bytes, start, end) : undefined) ??
    parseLine(asked, bytes.toString('utf8', start, end));
  onLines([]);
  return {
    data: (chunk) => {
      const lines: WatchLine[] = [];
      // Lines before a bad one count: the watch is resumed after the last of them.
      const failure = readLines(asked, splitter, chunk, (bytes, start, end) => lines.push(read(bytes, start, end)));
      if (lines.length > 0) onLines(lines);
      if (failure !== undefined) throw failure;
    },
    end() {},
  };
}

function readLines(asked: Asked, splitter: LineSplitter, chunk: Buffer, take: OnLine): KubeError | undefined {
  try {
    splitter.push(chunk, (bytes, start, end) => {
      if (end > start) take(bytes, start, end);
    });
    return undefined;
  } catch (error) {
    if (error instanceof KubeError) return error;
    return new KubeError('malformed', `${asWords(asked)}: ${asError(error).message}`);
  }
}

function silence(asked: Asked, silenceMs: number): KubeError {
  return new KubeError('silent', `the API server said nothing for ${silenceMs / 1000} s in a ${asWords(asked)}`);
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
