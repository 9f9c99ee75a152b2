import { type Json, jsonAt, textAt } from '../../lib/sandbox/api/stored-object.ts';
import type { Answer, ServerUnderTest } from '../support/server-under-test.ts';

export const taskRuns = (namespace: string) => `/apis/svc.dev/v1/namespaces/${namespace}/taskruns`;
export const configMaps = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;

/** A TaskRun to create, with labels. */
export function taskRun(name: string, labels: Readonly<Record<string, string>> = {}): Json {
  return {
    apiVersion: 'svc.dev/v1',
    kind: 'TaskRun',
    metadata: { name, labels },
    spec: { taskRef: { name: 'build' } },
  };
}

/** Creates TaskRuns one after the other and gives the answers' objects. */
export async function createRuns(server: ServerUnderTest, namespace: string, names: readonly string[]) {
  const made: Json[] = [];
  for (const name of names) {
    made.push((await server.request('POST', taskRuns(namespace), { body: taskRun(name) })).json);
  }
  return made;
}

export const nameOf = (object: unknown) => textAt(jsonAt(object, 'metadata'), 'name');
export const versionOf = (object: unknown) => textAt(jsonAt(object, 'metadata'), 'resourceVersion');

/** The objects of a list's answer. */
export function itemsOf({ json }: Answer): readonly unknown[] {
  return Array.isArray(json.items) ? json.items : [];
}

export const namesOf = (answer: Answer) => itemsOf(answer).map(nameOf);

/** What a refusal says to a program: code and reason. */
export const refusal = ({ status, json }: Answer) => ({ status, kind: json.kind, reason: json.reason });

/** A watch line as `TYPE name`. */
export const lineOf = (line: Json) => `${line.type} ${nameOf(line.object)}`;
