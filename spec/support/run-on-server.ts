import { type Kind, kindNames } from '../../lib/run/kind.ts';
import { svc } from './runs.ts';
import type { ServerUnderTest } from './server-under-test.ts';
import type { Received, Sink } from './sink.ts';

/** One run on the server, moved along by a spec. */
export interface RunOnServer {
  readonly kind: Kind;
  readonly name: string;
  readonly uid: string;
  /** Writes the condition (`status/reason/message`) and any other field of the status; gives the resourceVersion. */
  condition(text: string, more?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Merges into the object, status aside; gives the resourceVersion. */
  patch(change: Readonly<Record<string, unknown>>): Promise<string>;
  remove(): Promise<void>;
  /** The first event of this type about this very run that the sink gets, past or future: `running`, for example. */
  told(word: string): Promise<Received>;
}

export const versions: Readonly<Record<Kind, string>> = { TaskRun: 'v1', PipelineRun: 'v1', CustomRun: 'v1beta1' };

/** Where a run lives, and who hears of it. */
interface Where {
  readonly server: ServerUnderTest;
  readonly namespace: string;
  readonly sink: Sink;
}

/** startTime and completionTime of a run that took so many seconds. */
export function lasting(seconds: number): Readonly<Record<string, string>> {
  const startMs = Date.parse('2026-01-01T00:00:00Z');
  const time = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
  return { startTime: time(startMs), completionTime: time(startMs + seconds * 1000) };
}

/** Creates a run in the world's namespace; rejects when the API server does not take it. */
export async function createRun(
  { server, namespace, sink }: Where,
  { kind, name, more = {} }: { kind: Kind; name: string; more?: Readonly<Record<string, unknown>> | undefined },
): Promise<RunOnServer> {
  const apiVersion = `${svc.apiGroup}/${versions[kind]}`;
  const path = `/apis/${apiVersion}/namespaces/${namespace}/${kindNames[kind].plural}`;
  const { metadata = {}, ...rest } = more as { metadata?: Readonly<Record<string, unknown>> };
  const body = { apiVersion, kind, spec: {}, ...rest, metadata: { ...metadata, name, namespace } };
  const created = await expect2xx(server.request('POST', path, { body }));
  const uid = String((created as { metadata: { uid: string } }).metadata.uid);
  const merge = async (suffix: string, change: Readonly<Record<string, unknown>>) => {
    const after = await expect2xx(
      server.request('PATCH', `${path}/${name}${suffix}`, {
        body: change,
        contentType: 'application/merge-patch+json',
      }),
    );
    return (after as { readonly metadata: { readonly resourceVersion: string } }).metadata.resourceVersion;
  };
  return {
    kind,
    name,
    uid,
    condition: async (text, status = {}) => {
      const [conditionStatus, reason = '', message = ''] = text.split('/');
      const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
      const conditions = [{ type: 'Succeeded', status: conditionStatus, reason, message, lastTransitionTime }];
      return merge('/status', { status: { conditions, ...status } });
    },
    patch: (change) => merge('', change),
    remove: async () => void (await expect2xx(server.request('DELETE', `${path}/${name}`))),
    told: (word) => sink.told(uid, word),
  };
}

async function expect2xx(answer: ReturnType<ServerUnderTest['request']>): Promise<unknown> {
  const { status, json } = await answer;
  if (status < 200 || status > 299) throw new Error(`the API server answered ${status}: ${JSON.stringify(json)}`);
  return json;
}
