import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Kind } from '../../lib/run/kind.ts';
import { type Json, textAt } from '../../lib/sandbox/api/stored-object.ts';
import { binaryOf } from '../../scripts/cluster/tools.ts';
import type { RunOnServer } from '../support/run-on-server.ts';
import { startWorld, type World } from '../support/world.ts';
import { runCommand } from './run-command.ts';
import { sharedCluster } from './suite.ts';
import { until } from './until.ts';

/** What becomes of a pipeline with one failing task, and the reason of the last Event that each step owes. */
const story: readonly { readonly run: string; readonly condition: string; readonly told?: string }[] = [
  { run: 'build-42', condition: 'Unknown/Started/', told: 'Started' },
  { run: 'build-42', condition: 'Unknown/Running/Tasks Completed: 0, Incomplete: 1', told: 'Running' },
  { run: 'build-42-unit', condition: 'Unknown/Pending/Pending', told: 'Started' },
  { run: 'build-42-unit', condition: 'Unknown/Running/Not all Steps in the Task have finished executing' },
  { run: 'build-42-unit', condition: 'False/Failed/"step-unit" exited with code 1', told: 'Failed' },
  { run: 'build-42', condition: 'False/Failed/Tasks Completed: 1 (Failed: 1), Skipped: 0', told: 'Failed' },
];

const kinds: Readonly<Record<string, Kind>> = { 'build-42': 'PipelineRun', 'build-42-unit': 'TaskRun' };

/** The commands of the page's console blocks, each with what the page shows below it, by the command. */
const shown = new Map(
  [...readFileSync('docs/events.md', 'utf8').matchAll(/```console\n([\s\S]*?)```/g)]
    .flatMap(([, block = '']) => block.split(/^\$ /m).slice(1))
    .map((text) => [text.slice(0, text.indexOf('\n')), text.slice(text.indexOf('\n') + 1)]),
);

describe('kubectl shows Events as docs/events.md says:', () => {
  let world: World;

  before(async () => {
    world = await startWorld({ maps: { 'config-events': {} } });
    const runs = new Map<string, RunOnServer>();
    for (const { run: name, condition, told } of story) {
      const run = runs.get(name) ?? (await world.create(kinds[name] ?? 'TaskRun', name));
      runs.set(name, run);
      await run.condition(condition);
      if (told !== undefined) await aSecondAfter(await world.kubeEvent(name, told));
    }
  });

  after(() => world.close());

  async function kubectl(command: string): Promise<string> {
    const [, ...args] = command.split(' ');
    const where = [`--kubeconfig=${sharedCluster().kubeconfigFile}`, `--namespace=${world.namespace}`];
    const { code, stdout, stderr } = await runCommand(binaryOf('kubectl'), [...where, ...args]);
    if (code !== 0) throw new Error(`${command}: expected exit code 0, got ${code}: ${stderr}`);
    return stdout;
  }

  for (const name of ['taskrun build-42-unit', 'pipelinerun build-42']) {
    it(`kubectl describe ${name}`, async () => {
      const command = `kubectl describe ${name}`;
      const [, events = ''] = (await kubectl(command)).split(/^(?=Events:)/m);
      const [, wanted = ''] = (shown.get(command) ?? '').split(/^(?=Events:)/m);

      expect(wanted).to.not.equal('');
      expect(cells(events)).to.deep.equal(cells(wanted));
    });
  }

  it('kubectl get events --sort-by=.lastTimestamp', async () => {
    const command = 'kubectl get events --sort-by=.lastTimestamp';

    expect(cells(await kubectl(command))).to.deep.equal(cells(shown.get(command) ?? ''));
  });

  it('every kubectl command of the page is checked here', () => {
    expect([...shown.keys()].filter((command) => command.startsWith('kubectl '))).to.have.lengthOf(3);
  });
});

/** Settles when the clock has left the second of an Event: of two in one second, no one can tell the first. */
function aSecondAfter(event: Json): Promise<void> {
  const second = Date.parse(textAt(event, 'lastTimestamp'));
  return until(async () => Date.now() >= second + 1000, { what: 'the next second' });
}

/** The cells of a table by line; ages and the widths of columns are as they happen to be. */
function cells(text: string): readonly (readonly string[])[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^[ -]+$/.test(line));
  return lines.map((line) =>
    line
      .trim()
      .split(/ {2,}/)
      .map((cell) => cell.replace(/^\d+[sm](\d+s)?$/, 'AGE')),
  );
}
