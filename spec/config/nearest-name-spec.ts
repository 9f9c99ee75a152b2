import { expect } from 'chai';
import { nearestName } from '../../config/nearest-name.ts';

const known = ['metrics.taskrun.level', 'metrics.pipelinerun.level', 'sink', 'formats', 'metrics-port', 'health-port'];

describe('nearestName', () => {
  const rows = [
    { given: 'metrics.taskrun.levle', want: 'metrics.taskrun.level' },
    { given: 'metrics.taskrun.lev', want: 'metrics.taskrun.level' },
    { given: 'metrics_taskrun_level', want: 'metrics.taskrun.level' },
    { given: 'Sink', want: 'sink' },
    { given: 'skin', want: undefined },
    { given: 'sinks', want: 'sink' },
    { given: 'snik', want: 'sink' },
    { given: 'link', want: 'sink' },
    { given: 'metric-port', want: 'metrics-port' },
    { given: 'something', want: undefined },
    { given: 'ixnk', want: undefined },
    { given: 'kins', want: undefined },
    { given: 'source', want: undefined },
    { given: '', want: undefined },
  ];
  for (const { given, want } of rows) {
    it(`finds ${want ?? 'nothing'} near ${JSON.stringify(given)}`, () => {
      expect(nearestName(given, known)).to.equal(want);
    });
  }
});
