import { expect } from 'chai';
import type { Kind } from '../../lib/run/kind.ts';
import type { RunOnServer } from '../support/run-on-server.ts';
import { startWorld, type World } from '../support/world.ts';

describe('3. States and transitions', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.close());

  const typesOf = ({ kind, name }: RunOnServer) =>
    world.sink.typesOf(name).map((type) => type.replace(`dev.svc.event.${kind.toLowerCase()}.`, '').replace('.v1', ''));

  const words: Readonly<Record<string, string>> = { Succeeded: 'successful', Failed: 'failed' };

  const endings: readonly { kind: Kind; trigger: string; condition: string; reason: string }[] = [
    { kind: 'TaskRun', trigger: 'all steps succeed', condition: 'True/Succeeded/', reason: 'Succeeded' },
    { kind: 'TaskRun', trigger: 'a step fails', condition: 'False/Failed/', reason: 'Failed' },
    { kind: 'TaskRun', trigger: 'a timeout', condition: 'False/TaskRunTimeout/', reason: 'Failed' },
    { kind: 'TaskRun', trigger: 'cancellation', condition: 'False/TaskRunCancelled/', reason: 'Failed' },
    { kind: 'TaskRun', trigger: 'a validation failure', condition: 'False/TaskRunValidationFailed/', reason: 'Failed' },
    { kind: 'PipelineRun', trigger: 'all tasks succeed', condition: 'True/Succeeded/', reason: 'Succeeded' },
    { kind: 'PipelineRun', trigger: 'some tasks are skipped', condition: 'True/Completed/', reason: 'Succeeded' },
    { kind: 'PipelineRun', trigger: 'a task fails', condition: 'False/Failed/', reason: 'Failed' },
    { kind: 'PipelineRun', trigger: 'a timeout', condition: 'False/PipelineRunTimeout/', reason: 'Failed' },
    { kind: 'PipelineRun', trigger: 'cancellation', condition: 'False/Cancelled/', reason: 'Failed' },
    { kind: 'PipelineRun', trigger: 'a validation failure', condition: 'False/InvalidGraph/', reason: 'Failed' },
  ];

  for (const [index, { kind, trigger, condition, reason }] of endings.entries()) {
    it(`${kind}: ${trigger} emits ${reason}`, async () => {
      const run = await world.create(kind, `ending-${index}`);
      await run.condition('Unknown/Started/');
      await run.condition(`${condition}why it ended`);
      await run.told(words[reason] ?? '');
      const { message } = await world.kubeEvent(run.name, reason);
      expect(message).to.equal('why it ended');
      expect(typesOf(run)).to.deep.equal(['started', words[reason]]);
    });
  }

  for (const kind of ['TaskRun', 'PipelineRun'] as const) {
    const name = kind.toLowerCase();

    it(`${kind}: first taken from the work queue emits Started`, async () => {
      const run = await world.create(kind, `taken-${name}`);
      await run.condition('Unknown/Started/');
      await run.told('started');
      await world.kubeEvent(run.name, 'Started');
      expect(typesOf(run)).to.deep.equal(['started']);
    });

    it(`${kind}: one that nobody has taken yet emits nothing`, async () => {
      const waiting = await world.create(kind, `untaken-${name}`);
      await waiting.patch({ metadata: { labels: { touched: 'yes' } } });
      await world.finish(kind, `passes-by-${name}`);
      expect(typesOf(waiting)).to.deep.equal([]);
    });
  }

  it('PipelineRun: passing validation and beginning to execute emits Running', async () => {
    const run = await world.create('PipelineRun', 'begins');
    await run.condition('Unknown/Started/');
    await run.condition('Unknown/Running/Tasks Completed: 0');
    await run.told('running');
    const { message } = await world.kubeEvent('begins', 'Running');
    expect(message).to.equal('Tasks Completed: 0');
    expect(typesOf(run)).to.deep.equal(['started', 'running']);
  });

  const changes: readonly { what: string; conditions: readonly string[]; want: readonly string[] }[] = [
    {
      what: 'state',
      conditions: ['Unknown/Running/m', 'True/Running/m'],
      want: ['started', 'running', 'successful'],
    },
    {
      what: 'reason',
      conditions: ['Unknown/Running/m', 'Unknown/Pending/m', 'True/Succeeded/'],
      want: ['started', 'running', 'unknown', 'successful'],
    },
    {
      what: 'message',
      conditions: ['Unknown/Pending/m', 'Unknown/Pending/n', 'True/Succeeded/'],
      want: ['started', 'unknown', 'unknown', 'successful'],
    },
  ];

  for (const { what, conditions, want } of changes) {
    it(`any run: a changed ${what} of the Succeeded condition sends a CloudEvent`, async () => {
      const run = await world.create('TaskRun', `changed-${what}`);
      for (const condition of conditions) await run.condition(condition);
      await run.told('successful');
      expect(typesOf(run)).to.deep.equal(want);
    });
  }

  it('any run: nothing else that changes sends a CloudEvent', async () => {
    const run = await world.create('TaskRun', 'else');
    await run.condition('Unknown/Pending/m');
    const same = { type: 'Succeeded', status: 'Unknown', reason: 'Pending', message: 'm' };
    const conditions = [
      { ...same, lastTransitionTime: '2026-01-01T00:00:00Z', severity: 'Info' },
      { type: 'Ready', status: 'False', reason: 'Another', message: 'condition' },
    ];
    await run.condition('Unknown/Pending/m', { conditions, podName: 'else-pod', startTime: '2026-01-01T00:00:00Z' });
    await run.patch({ metadata: { labels: { touched: 'yes' } }, spec: { timeout: '2h0m0s' } });
    await run.condition('True/Succeeded/');
    await run.told('successful');
    expect(typesOf(run)).to.deep.equal(['started', 'unknown', 'successful']);
  });
});
