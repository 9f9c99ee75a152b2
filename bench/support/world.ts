import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { profiles } from '../../lib/profile.ts';
import { startSandboxApi } from '../../lib/sandbox/api/start-sandbox-api.ts';
import { namespaces, runningStage, runText, watchLine } from './run-text.ts';
import { type Asked, isOrder, type Told } from './world-words.ts';

/**
 * The process around a subject: an API server that has its TaskRuns ready as text, a sandbox for everything else,
 * and a sink. It works to the orders of its parent and is never measured itself.
 */
const teams = Array.from({ length: namespaces }, (_, n) => `team-${n}`);
const sandbox = await startSandboxApi({ profile: profiles.svc, namespaces: ['svc-pipelines', ...teams] });
const listOf = `/apis/${profiles.svc.apiGroup}/v1/taskruns`;
const watchers = new Set<ServerResponse>();
const posts = { count: 0, delayMs: 0 };
let listed = 0;
let version = 1000;

const server = createServer((incoming, response) => {
  const url = new URL(`http://world${incoming.url ?? '/'}`);
  if (url.pathname === '/sink') takePost(incoming, response);
  else if (url.pathname !== listOf) passOn(incoming, response);
  else if (url.searchParams.get('watch') === 'true') watch(response);
  else list(url.searchParams, response);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;

function takePost(incoming: IncomingMessage, response: ServerResponse): void {
  incoming.resume().once('end', () => {
    posts.count += 1;
    const answer = () => response.writeHead(204).end();
    if (posts.delayMs === 0) answer();
    else setTimeout(answer, posts.delayMs);
  });
}

function passOn(incoming: IncomingMessage, response: ServerResponse): void {
  const { method, url = '/', headers } = incoming;
  const onward = request({ host: '127.0.0.1', port: sandbox.port, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  incoming.pipe(onward);
}

function watch(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write(bookmark());
  watchers.add(response);
  response.on('close', () => watchers.delete(response));
}

function bookmark(): string {
  return `{"type":"BOOKMARK","object":{"kind":"TaskRun","metadata":{"resourceVersion":"${version}"}}}\n`;
}

function list(query: URLSearchParams, response: ServerResponse): void {
  const from = Number(query.get('continue') ?? '0');
  const to = Math.min(listed, from + Number(query.get('limit') ?? listed));
  const items = Array.from({ length: to - from }, (_, offset) =>
    runText(from + offset, runningStage, from + offset + 1),
  );
  const metadata = { resourceVersion: String(version), ...(to < listed ? { continue: String(to) } : {}) };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    `{"apiVersion":"svc.dev/v1","items":[${items}],"kind":"TaskRunList","metadata":${JSON.stringify(metadata)}}\n`,
  );
}

/** Sends lines in pieces of 64 KB, at the pace of whoever reads or at so many lines a second. */
async function send(lines: Iterable<string>, perSecond: number): Promise<void> {
  let text = '';
  let sent = 0;
  const startedMs = performance.now();
  for (const line of lines) {
    text += line;
    sent += 1;
    const aheadMs = perSecond === 0 ? 0 : (sent / perSecond) * 1000 - (performance.now() - startedMs);
    if (aheadMs > 5) await new Promise((resolve) => setTimeout(resolve, aheadMs));
    if (text.length < 65_536 && aheadMs <= 5) continue;
    await write(text);
    text = '';
  }
  await write(text + bookmark());
}

async function write(text: string): Promise<void> {
  await Promise.all([...watchers].map(async (response) => response.write(text) || (await once(response, 'drain'))));
}

/** Lives in waves: a thousand runs at a time go through their stages together. */
function* lives({ from, runs, stages }: Extract<Asked, { do: 'stream' }>): Generator<string> {
  const wave = 1000;
  for (let first = from; first < from + runs; first += wave) {
    for (const stage of stages) {
      for (let index = first; index < Math.min(first + wave, from + runs); index += 1) {
        version += 1;
        yield stage === 'deleted' ? watchLine(index, 9, version, 'DELETED') : watchLine(index, stage, version);
      }
    }
  }
}

const orders: { readonly [Do in Asked['do']]: (asked: Extract<Asked, { do: Do }>) => Promise<Told | undefined> } = {
  list: async ({ runs }) => {
    listed = runs;
    version = Math.max(version, runs + 1000);
    return undefined;
  },
  settings: async ({ map, data }) => {
    const metadata = { name: map, namespace: 'svc-pipelines' };
    sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
    return undefined;
  },
  watched: async () => {
    while (watchers.size === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    return undefined;
  },
  stream: async (asked) => void (await send(lives(asked), asked.perSecond ?? 0)),
  sink: async ({ delayMs }) => {
    posts.delayMs = delayMs;
    return undefined;
  },
  posts: async () => ({ posts: posts.count }),
};

process.on('message', async (message) => {
  if (!isOrder(message)) return;
  const { id, asked } = message;
  const answer = await orders[asked.do](asked as never);
  process.send?.({ id, told: answer ?? {} });
});
process.on('disconnect', () => process.exit(0));
process.send?.({ id: 0, told: { url: `http://127.0.0.1:${port}` } });
