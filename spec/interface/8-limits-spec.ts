import { expect } from 'chai';
import { startProcess } from '../support/controller-process.ts';
import { linesOf } from '../support/scrape.ts';
import { startWorld, type World } from '../support/world.ts';

describe('8. Limits', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.close());

  const rates: readonly { rate: string; outcome: 'applied' | 'refused' }[] = [
    { rate: '0.0', outcome: 'applied' },
    { rate: '0.001', outcome: 'applied' },
    { rate: '1.0', outcome: 'applied' },
    { rate: '1.01', outcome: 'refused' },
    { rate: '-0.5', outcome: 'refused' },
  ];

  for (const { rate, outcome } of rates) {
    it(`a tracing sampling rate of ${rate} is ${outcome}`, async () => {
      expect(await world.configure('config-observability', { 'tracing-sampling-rate': rate })).to.equal(outcome);
    });
  }

  it('a sink has 30 seconds to answer unless a flag says otherwise', async () => {
    const help = startProcess(['--help']);
    await help.ended;
    expect(help.stdout()).to.match(/^ +--sink-timeout=30s$/m);
  });

  it('labels are bounded: past the series limit new values become _overflow, and no run is lost', async () => {
    const settings = { 'metrics.taskrun.level': 'taskrun', 'metrics.series-limit': '100' };
    await world.configure('config-observability', settings);
    const names = Array.from({ length: 120 }, (_, index) => `many-${index}`);
    await Promise.all(
      names.map((name) => world.finish('TaskRun', name, { more: { spec: { taskRef: { name: 'many' } } } })),
    );
    const text = await world.scrape();
    const lines = linesOf(text, 'taskrun_duration_seconds');
    expect(lines.length).to.be.within(100, 112);
    expect(lines.join('\n')).to.include('taskrun="_overflow",status="success"');
    expect(text).to.match(/series_overflow_total\{metric="svc_pipelines_controller_taskrun_duration_seconds"\} [1-9]/);
    expect(text).to.match(/taskrun_total\{status="success",reason="Succeeded"\} 120$/m);
  });
});
