import { hostname } from 'node:os';
import { expect } from 'chai';
import type { Kind } from '../../lib/run/kind.ts';
import type { Json } from '../../lib/sandbox/api/stored-object.ts';
import { sampleValue } from '../support/scrape.ts';
import { startWorld, type World } from '../support/world.ts';

/** The lives that section 6.1 speaks of, and every Event of each as `type reason message`. */
const lives: readonly { kind: Kind; name: string; conditions: readonly string[]; want: readonly string[] }[] = [
  {
    kind: 'TaskRun',
    name: 'task-well',
    conditions: ['Unknown/Started/', 'Unknown/Pending/p', 'Unknown/Running/r', 'True/Succeeded/All Steps are done'],
    want: ['Normal Started ', 'Normal Succeeded All Steps are done'],
  },
  {
    kind: 'TaskRun',
    name: 'task-badly',
    conditions: ['Unknown/Running/r', 'False/TaskRunTimeout/took longer than 1h'],
    want: ['Normal Started ', 'Warning Failed took longer than 1h'],
  },
  {
    kind: 'PipelineRun',
    name: 'pipeline-well',
    conditions: ['Unknown/Started/', 'Unknown/Running/one', 'Unknown/Running/two', 'True/Completed/done'],
    want: ['Normal Started ', 'Normal Running one', 'Normal Succeeded done'],
  },
  {
    kind: 'PipelineRun',
    name: 'pipeline-badly',
    conditions: [
      'Unknown/Running/one',
      'Unknown/Pending/held',
      'Unknown/Running/again',
      'False/Failed/one task failed',
    ],
    want: ['Normal Started ', 'Normal Running one', 'Normal Running again', 'Warning Failed one task failed'],
  },
  { kind: 'CustomRun', name: 'custom', conditions: ['Unknown/Running/r', 'True/Succeeded/done'], want: [] },
];

const written = 'kubernetes_events_total{outcome="written"}';
const expected = lives.reduce((sum, { want }) => sum + want.length, 0);

describe('6.1 Kubernetes Events', () => {
  let world: World;
  before(async () => {
    world = await startWorld({
      maps: { 'config-events': {}, 'feature-flags': { 'send-cloudevents-for-runs': 'true' } },
    });
    for (const { kind, name, conditions } of lives) {
      const run = await world.create(kind, name, { spec: { taskRef: { name: 'unit' } } });
      for (const condition of conditions) await run.condition(condition);
    }
    await world.scrapeUntil((text) => (sampleValue(text, written) ?? 0) >= expected);
  });
  after(() => world.close());

  const told = ({ type, reason, message }: Json) => `${type} ${reason} ${message ?? ''}`;

  for (const { kind, name, conditions, want } of lives) {
    const way = conditions.map((condition) => condition.split('/')[1]).join(', ');
    const reasons = want.map((one) => one.split(' ')[1]).join(', ');
    it(`${kind} by way of ${way}: ${reasons || 'none'}`, async () => {
      // The few that are written at once may be stored in another order.
      expect((await world.kubeEvents(name)).map(told)).to.have.members(want);
    });
  }

  it('they do not need a sink', () => {
    expect(world.sink.received).to.deep.equal([]);
  });

  it('an Event is about the run: kind, name, namespace, uid and version', async () => {
    const { involvedObject } = await world.kubeEvent('pipeline-well', 'Succeeded');
    const { json } = await world.server.request(
      'GET',
      `/apis/svc.dev/v1/namespaces/${world.namespace}/pipelineruns/pipeline-well`,
    );
    const { name, namespace, uid, resourceVersion } = json.metadata as Json;
    expect(involvedObject).to.include({
      apiVersion: 'svc.dev/v1',
      kind: 'PipelineRun',
      name,
      namespace,
      uid,
      resourceVersion,
    });
  });

  it('an Event says who reports it', async () => {
    const event = await world.kubeEvent('task-well', 'Started');
    expect(event).to.deep.include({
      source: { component: 'svc-pipelines-controller' },
      reportingComponent: 'svc-pipelines-controller',
      reportingInstance: hostname(),
    });
  });

  it('an Event can be sorted by its last timestamp', async () => {
    const { firstTimestamp, lastTimestamp, count } = await world.kubeEvent('task-well', 'Succeeded');
    expect(lastTimestamp).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(firstTimestamp).to.equal(lastTimestamp);
    expect(count).to.equal(1);
  });

  it('an Event is named after its CloudEvent, so that a second telling finds it there', async () => {
    await world.configure('config-events', { sink: world.sink.url });
    const run = await world.finish('TaskRun', 'named');
    const { headers } = await run.told('successful');
    const { metadata } = await world.kubeEvent('named', 'Succeeded');
    expect((metadata as Json).name).to.equal(`named.${headers['ce-id']}`);
  });
});
