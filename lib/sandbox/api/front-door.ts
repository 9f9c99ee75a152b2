import type { IncomingMessage, ServerResponse } from 'node:http';
import { apiErrors } from './api-error.ts';
import { handleRequest, type RequestContext, sendError, sendJson } from './handle-request.ts';
import { requestTarget } from './request-target.ts';
import type { Interception, SandboxApiOptions } from './sandbox-api.ts';
import type { ServedType } from './served-types.ts';
import type { Json } from './stored-object.ts';
import { isTrue, type Watches } from './watches.ts';

interface Options extends RequestContext {
  readonly types: readonly ServedType[];
  readonly watches: Watches;
  readonly documents: ReadonlyMap<string, Json>;
  readonly token: string | undefined;
  readonly intercept: SandboxApiOptions['intercept'];
}

const healthPaths = ['/healthz', '/livez', '/readyz'];

// The version is what kubectl compares itself with; the suffix says whom it really talks to.
const version = {
  major: '1',
  minor: '34',
  gitVersion: 'v1.34.0+sandbox',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2025-08-27T00:00:00Z',
  goVersion: 'none',
  compiler: 'none',
  platform: 'none',
};

/** The listener of the sandbox's HTTP server: faults first, then who may ask, then what was asked. */
export function frontDoor(options: Options): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    // A client that goes away in the middle is no trouble of ours; `close` cleans up after it.
    response.on('error', () => {});
    const { pathname, searchParams } = new URL(`http://sandbox${request.url ?? '/'}`);
    const { method = 'GET', headers } = request;
    const interception = options.intercept?.({ method, path: pathname, query: searchParams, headers }) ?? 'pass';
    try {
      if (interception !== 'pass') intercepted(interception, request, response);
      else await answer(options, request, response, pathname, searchParams);
    } catch (error) {
      request.resume();
      sendError(response, error);
    }
  };
}

function intercepted(interception: Exclude<Interception, 'pass'>, request: IncomingMessage, response: ServerResponse) {
  request.resume();
  if (interception === 'hang') return;
  if (interception === 'reset') {
    request.socket.destroy();
    return;
  }
  const { status, headers = {}, body = '' } = interception;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type: Record<string, string> = typeof body === 'string' ? {} : { 'content-type': 'application/json' };
  response.writeHead(status, { ...type, ...headers });
  response.end(text);
}

async function answer(
  options: Options,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: URLSearchParams,
): Promise<void> {
  if (healthPaths.includes(path)) return void response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
  if (path === '/version') return sendJson(response, 200, version);
  const { token } = options;
  if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) throw apiErrors.unauthorized();
  const accept = request.headers.accept ?? '';
  const document = options.documents.get(path);
  if (document !== undefined) return sendJson(response, 200, document);
  const target = requestTarget(options.types, path);
  if (target === undefined) throw apiErrors.noResource();
  if (!acceptsJson(accept)) throw apiErrors.notAcceptable();
  const resourceRequest = { ...target, query, request, response, asTable: accept.includes('as=Table') };
  const collection = target.name === '' || target.subresource === '';
  if (request.method === 'GET' && collection && isTrue(query.get('watch'))) options.watches.begin(resourceRequest);
  else await handleRequest(options, resourceRequest);
}

/** Whether one of the listed media types is JSON, or anything. */
function acceptsJson(accept: string): boolean {
  if (accept === '') return true;
  const media = accept.split(',').map((entry) => entry.split(';')[0]?.trim());
  return ['application/json', 'application/*', '*/*'].some((wanted) => media.includes(wanted));
}
