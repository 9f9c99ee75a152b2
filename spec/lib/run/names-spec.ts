import { expect } from 'chai';
import { observed, type RunGiven } from '../../support/runs.ts';

const label = {
  task: 'svc.dev/task',
  pipelineTask: 'svc.dev/pipelineTask',
  pipeline: 'svc.dev/pipeline',
  pipelineRun: 'svc.dev/pipelineRun',
};

describe('namesOf', () => {
  const tasks: readonly { title: string; given: RunGiven; want: string }[] = [
    {
      title: 'taskRef.name',
      given: { spec: { taskRef: { name: 'unit' } }, labels: { [label.task]: 'x' } },
      want: 'unit',
    },
    {
      title: 'the pipelineTask label of an embedded spec',
      given: { spec: { taskSpec: {} }, labels: { [label.pipelineTask]: 'lint', [label.task]: 'x' } },
      want: 'lint',
    },
    {
      title: 'anonymous for an embedded spec without it',
      given: { spec: { taskSpec: {} }, labels: { [label.task]: 'x' } },
      want: 'anonymous',
    },
    { title: 'the task label where neither stands', given: { labels: { [label.task]: 'deploy' } }, want: 'deploy' },
    { title: 'anonymous where nothing stands', given: {}, want: 'anonymous' },
    { title: 'nothing for a PipelineRun', given: { kind: 'PipelineRun', labels: { [label.task]: 'x' } }, want: '' },
  ];
  for (const { title, given, want } of tasks) {
    it(`takes the task from ${title}`, () => {
      expect(observed(given).run.task).to.equal(want);
    });
  }

  const pipelines: readonly { title: string; given: RunGiven; want: string }[] = [
    {
      title: 'pipelineRef.name',
      given: { kind: 'PipelineRun', spec: { pipelineRef: { name: 'release' } } },
      want: 'release',
    },
    {
      title: 'the pipeline label',
      given: { kind: 'PipelineRun', labels: { [label.pipeline]: 'nightly' } },
      want: 'nightly',
    },
    {
      title: 'anonymous when the label repeats the run',
      given: { kind: 'PipelineRun', name: 'r7', labels: { [label.pipeline]: 'r7' } },
      want: 'anonymous',
    },
    {
      title: "a TaskRun's pipeline label",
      given: { labels: { [label.pipeline]: 'nightly', [label.pipelineRun]: 'r7' } },
      want: 'nightly',
    },
    {
      title: "anonymous when a TaskRun's label repeats its PipelineRun",
      given: { labels: { [label.pipeline]: 'r7', [label.pipelineRun]: 'r7' } },
      want: 'anonymous',
    },
    { title: 'anonymous where nothing stands', given: { kind: 'PipelineRun' }, want: 'anonymous' },
  ];
  for (const { title, given, want } of pipelines) {
    it(`takes the pipeline from ${title}`, () => {
      expect(observed(given).run.pipeline).to.equal(want);
    });
  }

  const owners: readonly { labels: Readonly<Record<string, string>>; want: boolean }[] = [
    { labels: { [label.pipeline]: 'p', [label.pipelineRun]: 'r' }, want: true },
    { labels: { [label.pipeline]: 'r', [label.pipelineRun]: 'r' }, want: true },
    { labels: { [label.pipeline]: 'p' }, want: false },
    { labels: { [label.pipelineRun]: 'r' }, want: false },
    { labels: {}, want: false },
  ];
  for (const { labels, want } of owners) {
    it(`${want ? 'counts' : 'does not count'} a TaskRun labelled ${JSON.stringify(labels)} to a pipeline`, () => {
      expect(observed({ labels }).run.inPipeline).to.equal(want);
    });
  }

  it("names the PipelineRun by a TaskRun's label and by a PipelineRun itself", () => {
    expect(observed({ labels: { [label.pipelineRun]: 'r7' } }).run.pipelineRun).to.equal('r7');
    expect(observed({ kind: 'PipelineRun', name: 'r8' }).run.pipelineRun).to.equal('r8');
  });
});
