import { expect } from 'chai';
import { promtoolProblems } from './promtool.ts';

describe('promtoolProblems', () => {
  it('finds nothing in a good scrape', async () => {
    const scrape = '# HELP runs_total Runs so far.\n# TYPE runs_total counter\nruns_total{status="success"} 1\n';

    expect(await promtoolProblems(scrape)).to.deep.equal([]);
  });

  it('tells what the linter dislikes', async () => {
    const scrape = '# HELP runs Runs so far.\n# TYPE runs counter\nruns 1\n';

    expect(await promtoolProblems(scrape)).to.deep.equal(['runs counter metrics should have "_total" suffix']);
  });

  it('tells what is no scrape at all', async () => {
    const [problem] = await promtoolProblems('runs{status="success} 1\n');

    expect(problem).to.contain('error while linting: text format parsing error');
  });
});
