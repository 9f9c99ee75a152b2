import { expect } from 'chai';
import { type Kind, kindNames } from '../../lib/run/kind.ts';
import type { Received } from '../support/sink.ts';
import { startWorld, type World } from '../support/world.ts';

type Resource = Readonly<Record<string, unknown>>;

/** A run with every field that section 2.1 lists. */
const given = {
  metadata: { labels: { 'app.kubernetes.io/managed-by': 'svc-pipelines', 'svc.dev/task': 'unit' } },
  spec: {
    params: [{ name: 'revision', value: 'main' }],
    serviceAccountName: 'builder',
    taskRef: { kind: 'Task', name: 'unit' },
    timeout: '1h0m0s',
  },
};
const status = { podName: 'full-pod', startTime: '2026-01-01T00:00:01Z' };

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** The value at a dotted path; an index is a step like any other. */
function at(value: unknown, path: string): unknown {
  return path.split('.').reduce((inner, step) => (inner as Resource | undefined)?.[step], value);
}

describe('2.1 Run resources', () => {
  let world: World;
  let running: Resource;
  before(async () => {
    world = await startWorld({ maps: { 'feature-flags': { 'send-cloudevents-for-runs': 'true' } } });
    const run = await world.create('TaskRun', 'full', given);
    await run.condition('Unknown/Pending/Waiting for a node', status);
    running = under(await run.told('started'), 'taskRun');
  });
  after(() => world.close());

  const under = ({ body }: Received, rootKey: string) => body?.[rootKey] as Resource;

  const rows: readonly { path: string; want: unknown }[] = [
    { path: 'metadata.name', want: 'full' },
    { path: 'metadata.labels', want: given.metadata.labels },
    { path: 'spec.params', want: given.spec.params },
    { path: 'spec.serviceAccountName', want: 'builder' },
    { path: 'spec.taskRef', want: { kind: 'Task', name: 'unit' } },
    { path: 'spec.timeout', want: '1h0m0s' },
    { path: 'status.podName', want: 'full-pod' },
    { path: 'status.startTime', want: '2026-01-01T00:00:01Z' },
    { path: 'status.conditions.0.type', want: 'Succeeded' },
    { path: 'status.conditions.0.status', want: 'Unknown' },
    { path: 'status.conditions.0.reason', want: 'Pending' },
    { path: 'status.conditions.0.message', want: 'Waiting for a node' },
  ];

  for (const { path, want } of rows) {
    it(`the event payload has ${path}`, () => {
      expect(at(running, path)).to.deep.equal(want);
    });
  }

  it('the event payload has metadata.namespace', () => {
    expect(at(running, 'metadata.namespace')).to.equal(world.namespace);
  });

  for (const path of ['metadata.creationTimestamp', 'status.conditions.0.lastTransitionTime']) {
    it(`the event payload has ${path}, an ISO 8601 UTC timestamp`, () => {
      expect(at(running, path)).to.match(timestamp);
    });
  }

  const kinds: readonly { kind: Kind; rootKey: string; apiVersion: string }[] = [
    { kind: 'TaskRun', rootKey: 'taskRun', apiVersion: 'svc.dev/v1' },
    { kind: 'PipelineRun', rootKey: 'pipelineRun', apiVersion: 'svc.dev/v1' },
    { kind: 'CustomRun', rootKey: 'customRun', apiVersion: 'svc.dev/v1beta1' },
  ];

  for (const { kind, rootKey, apiVersion } of kinds) {
    it(`a ${kind} is whole under ${rootKey}: metadata, spec and status as the API server holds them`, async () => {
      const { uid } = await world.finish(kind, `whole-${rootKey.toLowerCase()}`, { more: given });
      const { body } = await world.sink.told(uid, 'successful');
      expect(Object.keys(body ?? {})).to.deep.equal([rootKey]);
      const path = `/apis/${apiVersion}/namespaces/${world.namespace}/${kindNames[kind].plural}`;
      const { json } = await world.server.request('GET', `${path}/whole-${rootKey.toLowerCase()}`);
      const { managedFields: _, ...metadata } = json.metadata as Resource;
      expect(body?.[rootKey]).to.deep.equal({ ...json, metadata });
    });
  }
});
