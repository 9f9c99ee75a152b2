import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';

/**
 * The least in Node that tells changes to a sink: an undici watch of one kind, JSON.parse, a Map of conditions, an
 * undici post of the object for each that is new, one after the other for each run.
 *
 * It keeps nothing safe: no resume, no retry, no bound, no metrics, no check of what it sends. Says how many it has
 * posted when asked.
 */
export interface SketchGiven {
  readonly url: string;
  /** Of the watched kind. */
  readonly path: string;
  readonly sink: string;
  /** With an authority's file and a token where the server is a real one. */
  readonly caFile?: string;
  readonly token?: string;
}

const given: SketchGiven = JSON.parse(process.argv[2] ?? '{}');
const api = new Agent({
  allowH2: false,
  bodyTimeout: 0,
  ...(given.caFile === undefined ? {} : { connect: { ca: readFileSync(given.caFile, 'utf8') } }),
});
const sink = new Agent({ allowH2: false, connections: 64 });
const conditions = new Map<string, string>();
const last = new Map<string, Promise<void>>();
let posted = 0;

const { body } = await request(`${given.url}${given.path}?watch=true`, {
  dispatcher: api,
  headers: given.token === undefined ? {} : { authorization: `Bearer ${given.token}` },
});
process.send?.({ id: 0, told: { posted } });
process.on('message', ({ id }: { id: number }) => process.send?.({ id, told: { posted } }));
process.on('disconnect', () => process.exit(0));

let rest = '';
for await (const chunk of body.setEncoding('utf8')) {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) take(JSON.parse(line).object);
}

interface WatchedRun {
  readonly metadata: { readonly uid: string; readonly name: string; readonly resourceVersion: string };
  readonly status?: { readonly conditions?: readonly WatchedCondition[] };
}

interface WatchedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

function take(object: WatchedRun): void {
  const { uid, name, resourceVersion } = object.metadata;
  const found = object.status?.conditions?.find(({ type }) => type === 'Succeeded');
  if (found === undefined) return;
  const condition = `${found.status}/${found.reason}/${found.message}`;
  if (conditions.get(uid) === condition) return;
  conditions.set(uid, condition);
  const headers = {
    'content-type': 'application/json',
    'ce-id': `${uid}.${resourceVersion}`,
    'ce-source': `${given.path}/${name}`,
    'ce-specversion': '1.0',
    'ce-subject': name,
    'ce-time': new Date().toISOString(),
    'ce-type': 'dev.svc.event.taskrun.v1',
    'ce-sequence': `${resourceVersion}.0`,
  };
  const text = JSON.stringify({ taskRun: object });
  const before = last.get(uid);
  const sent = before === undefined ? post(headers, text) : before.then(() => post(headers, text));
  last.set(uid, sent);
}

async function post(headers: Readonly<Record<string, string>>, text: string): Promise<void> {
  const answer = await request(given.sink, { method: 'POST', dispatcher: sink, headers, body: text });
  await answer.body.dump();
  posted += 1;
}
