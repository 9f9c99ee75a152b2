import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../log.ts';
import { type Health, isReady, statusJson, verboseText } from './health.ts';
import {
  type HttpServer,
  type ListenOptions,
  pathOf,
  queryHas,
  refuseMethod,
  sendText,
  startHttpServer,
} from './http-server.ts';
import { statusPage } from './status-page.ts';

interface HealthServerOptions extends Omit<ListenOptions, 'flag'> {
  /** How the controller is now; asked at each request, from memory only. */
  readonly health: () => Health;
  readonly log: Log;
  /** `--health-port` by default. */
  readonly flag?: string;
}

type Answer = (response: ServerResponse, request: IncomingMessage, health: () => Health) => void;

const answers = new Map<string, Answer>([
  // That it answers is the news: the event loop turns. It must not ask the API server, or an outage there would
  // restart every controller.
  ['/healthz', (response) => sendText(response, 200, 'ok')],
  ['/readyz', sendReadiness],
  ['/status', sendStatus],
  ['/', sendStatusPage],
]);

/** Serves `/healthz`, `/readyz` (with `?verbose`), the status as JSON at `/status` and as a page at `/`. */
export function startHealthServer(options: HealthServerOptions): Promise<HttpServer> {
  return startHttpServer({ ...options, flag: options.flag ?? '--health-port' }, (request, response) => {
    const answer = answers.get(pathOf(request));
    if (answer === undefined) return sendText(response, 404, 'here are /healthz, /readyz, /status and /\n');
    if (refuseMethod(request, response)) return;
    try {
      answer(response, request, options.health);
    } catch (error) {
      options.log.error({ error }, 'the health checks could not be read');
      sendText(response, 500, 'the health checks could not be read\n');
    }
  });
}

function sendReadiness(response: ServerResponse, request: IncomingMessage, read: () => Health): void {
  const health = read();
  const ready = isReady(health);
  // Unready says why without being asked, as a kube-apiserver does.
  const text = ready && !queryHas(request, 'verbose') ? 'ok' : verboseText(health);
  sendText(response, ready ? 200 : 503, text);
}

function sendStatus(response: ServerResponse, _request: IncomingMessage, read: () => Health): void {
  sendText(response, 200, `${JSON.stringify(statusJson(read()), undefined, 2)}\n`, 'application/json');
}

function sendStatusPage(response: ServerResponse, _request: IncomingMessage, read: () => Health): void {
  response.setHeader('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
  sendText(response, 200, statusPage(read()), 'text/html; charset=utf-8');
}
