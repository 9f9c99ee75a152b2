import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import type { Log } from '../../log.ts';
import { contentTypes, type Format } from '../../metrics/exposition.ts';
import { acceptsGzip, negotiateFormat } from '../../metrics/negotiate.ts';
import { type HttpServer, type ListenOptions, pathOf, refuseMethod, sendText, startHttpServer } from './http-server.ts';
import type { Admission } from './secure-admission.ts';

export interface MetricsServerOptions extends Omit<ListenOptions, 'flag'> {
  /** The exposition in chunks, pulled at the reader's pace. */
  readonly render: (format: Format) => AsyncIterable<string>;
  /** True while scrapes are answered; a sentence instead, or false, answers 404. Asked at each scrape. */
  readonly enabled: () => boolean | string;
  /** Who may read; everybody by default. */
  readonly admission?: Admission | undefined;
  readonly log: Log;
  /** `--metrics-port` by default. */
  readonly flag?: string;
}

/** Serves `GET /metrics` (section 4.1) in text or OpenMetrics, gzipped where asked; 404 while it is switched off. */
export function startMetricsServer(options: MetricsServerOptions): Promise<HttpServer> {
  return startHttpServer({ ...options, flag: options.flag ?? '--metrics-port' }, (request, response) => {
    answer(options, request, response).catch((error: unknown) => failed(options.log, response, error));
  });
}

async function answer(
  options: MetricsServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (pathOf(request) !== '/metrics') return sendText(response, 404, 'metrics are at /metrics\n');
  if (refuseMethod(request, response)) return;
  const refusal = await options.admission?.(request.headers.authorization);
  if (refusal !== undefined) {
    for (const [name, value] of Object.entries(refusal.headers)) response.setHeader(name, value);
    return sendText(response, refusal.status, `${refusal.sentence}\n`);
  }
  const enabled = options.enabled();
  if (enabled !== true) return sendText(response, 404, `${enabled || 'metrics are not served here now'}\n`);
  const format = negotiateFormat(request.headers.accept);
  const gzip = acceptsGzip([request.headers['accept-encoding'] ?? ''].flat().join());
  if (request.method === 'HEAD') {
    setHeaders(response, format, gzip);
    response.end();
    return;
  }
  // A page that fails at once is answered with 500: so nothing is said before the first chunk is there.
  const chunks = await begun(options.render(format));
  setHeaders(response, format, gzip);
  await send(chunks, response, gzip);
}

/** The same chunks, the first of them made. No generator: one that never began would not pass on that its reader left. */
async function begun(chunks: AsyncIterable<string>): Promise<AsyncIterable<string>> {
  const iterator = chunks[Symbol.asyncIterator]();
  const made = [await iterator.next()];
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => made.pop() ?? iterator.next(),
      return: async () => iterator.return?.() ?? { done: true, value: undefined },
    }),
  };
}

function setHeaders(response: ServerResponse, format: Format, gzip: boolean): void {
  response.setHeader('Content-Type', contentTypes[format]);
  response.setHeader('Vary', 'Accept, Accept-Encoding');
  response.setHeader('Cache-Control', 'no-store');
  if (gzip) response.setHeader('Content-Encoding', 'gzip');
}

async function send(chunks: AsyncIterable<string>, response: ServerResponse, gzip: boolean): Promise<void> {
  // One chunk waits, not a stream's default of sixteen.
  const source = Readable.from(chunks, { objectMode: true, highWaterMark: 1 });
  // Level 1 makes metrics a tenth of their size; higher ones take several times as long for little more.
  const stages: Writable[] = gzip ? [createGzip({ level: constants.Z_BEST_SPEED }), response] : [response];
  await pipeline([source, ...stages]);
}

/** How it looks when the reader goes away while it is written to, or before. */
const readerLeft: ReadonlySet<unknown> = new Set([
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_UNABLE_TO_PIPE',
  'ERR_STREAM_DESTROYED',
  'ECONNRESET',
  'EPIPE',
]);

/** A scraper that left is no trouble; a page that cannot be rendered is, and must not look whole. */
function failed(log: Log, response: ServerResponse, error: unknown): void {
  if (error instanceof Error && 'code' in error && readerLeft.has(error.code)) {
    log.debug({ code: error.code }, 'a scraper left before the end of the metrics');
    return;
  }
  log.error({ error }, 'the metrics could not be rendered');
  // Once something was sent, the pipeline has torn the connection.
  if (!response.headersSent) sendText(response, 500, 'the metrics could not be rendered\n');
}
