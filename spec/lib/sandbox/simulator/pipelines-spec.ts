import { expect } from 'chai';
import {
  type Pipeline,
  pipelineCondition,
  readyTasks,
  type TaskState,
} from '../../../../lib/sandbox/simulator/pipelines.ts';

const diamond: Pipeline = {
  name: 'diamond',
  weight: 1,
  tasks: [
    { name: 'a', task: 't', after: [] },
    { name: 'b', task: 't', after: ['a'] },
    { name: 'c', task: 't', after: ['a'] },
    { name: 'd', task: 't', after: ['b', 'c'] },
  ],
};

const words: Readonly<Record<string, TaskState>> = {
  w: 'waiting',
  r: 'running',
  s: 'succeeded',
  f: 'failed',
  x: 'cancelled',
};
const states = (text: string) =>
  new Map(diamond.tasks.map(({ name }, index) => [name, words[text[index] ?? ''] ?? 'waiting']));

describe('a pipeline', () => {
  const cases = [
    {
      at: 'wwww',
      ready: ['a'],
      status: 'Unknown',
      message: 'Tasks Completed: 0 (Failed: 0, Cancelled 0), Incomplete: 4, Skipped: 0',
    },
    {
      at: 'rwww',
      ready: [],
      status: 'Unknown',
      message: 'Tasks Completed: 0 (Failed: 0, Cancelled 0), Incomplete: 4, Skipped: 0',
    },
    {
      at: 'swww',
      ready: ['b', 'c'],
      status: 'Unknown',
      message: 'Tasks Completed: 1 (Failed: 0, Cancelled 0), Incomplete: 3, Skipped: 0',
    },
    {
      at: 'ssrw',
      ready: [],
      status: 'Unknown',
      message: 'Tasks Completed: 2 (Failed: 0, Cancelled 0), Incomplete: 2, Skipped: 0',
    },
    {
      at: 'sssw',
      ready: ['d'],
      status: 'Unknown',
      message: 'Tasks Completed: 3 (Failed: 0, Cancelled 0), Incomplete: 1, Skipped: 0',
    },
    { at: 'ssss', ready: [], status: 'True', message: 'Tasks Completed: 4 (Failed: 0, Cancelled 0), Skipped: 0' },
    { at: 'sfww', ready: [], status: 'False', message: 'Tasks Completed: 2 (Failed: 1, Cancelled 0), Skipped: 2' },
    {
      at: 'sfrw',
      ready: [],
      status: 'Unknown',
      message: 'Tasks Completed: 2 (Failed: 1, Cancelled 0), Incomplete: 2, Skipped: 0',
    },
    { at: 'xwww', ready: [], status: 'False', message: 'Tasks Completed: 1 (Failed: 0, Cancelled 1), Skipped: 3' },
  ];
  for (const { at, ready, status, message } of cases) {
    it(`at ${at} starts ${ready.join(', ') || 'nothing'} and is ${status}`, () => {
      expect(readyTasks(diamond, states(at)).map(({ name }) => name)).to.deep.equal(ready);
      expect(pipelineCondition(diamond, states(at))).to.include({ status, message });
    });
  }
});
