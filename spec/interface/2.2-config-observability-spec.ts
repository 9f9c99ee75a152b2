import { expect } from 'chai';
import { linesOf, readScrape, sampleValue } from '../support/scrape.ts';
import { startWorld, type World } from '../support/world.ts';

const map = 'config-observability';

interface Row {
  readonly key: string;
  readonly valid: readonly string[];
  readonly invalid: readonly string[];
  /** Other keys that the value needs. */
  readonly beside?: Readonly<Record<string, string>>;
}

const endpoint = '127.0.0.1:9';
const truths = { valid: ['true', 'false'], invalid: ['True', 'yes', '1', ''] };
const durations = { valid: ['500ms', '15s', '1m30s'], invalid: ['5x', '30', '-1s', '0s'] };
const endpoints = { valid: [endpoint, `http://${endpoint}`, `https://${endpoint}`], invalid: ['collector', 'a b:1'] };

const rows: readonly Row[] = [
  {
    key: 'metrics-protocol',
    valid: ['grpc', 'http/protobuf', 'none', 'prometheus'],
    invalid: ['Prometheus', 'otlp', ''],
  },
  { key: 'metrics-endpoint', ...endpoints },
  { key: 'metrics-export-interval', ...durations },
  { key: 'metrics.taskrun.level', valid: ['taskrun', 'task', 'namespace'], invalid: ['pod', 'Task', ''] },
  { key: 'metrics.taskrun.duration-type', valid: ['histogram', 'lastvalue'], invalid: ['gauge', ''] },
  { key: 'metrics.pipelinerun.level', valid: ['pipelinerun', 'pipeline', 'namespace'], invalid: ['cluster', ''] },
  { key: 'metrics.pipelinerun.duration-type', valid: ['histogram', 'lastvalue'], invalid: ['summary', ''] },
  { key: 'metrics.running-pipelinerun.level', valid: ['pipelinerun', 'pipeline', 'namespace', ''], invalid: ['none'] },
  { key: 'metrics.count.enable-reason', ...truths },
  { key: 'metrics.taskrun.throttle.enable-namespace', ...truths },
  {
    key: 'tracing-protocol',
    valid: ['grpc', 'http/protobuf', 'stdout', 'none'],
    invalid: ['jaeger', ''],
    beside: { 'tracing-endpoint': endpoint },
  },
  { key: 'tracing-endpoint', ...endpoints },
  { key: 'tracing-sampling-rate', valid: ['0.0', '0.25', '1.0'], invalid: ['1.5', '-0.1', '10%', ''] },
  { key: 'runtime-profiling', valid: ['enabled', 'disabled'], invalid: ['true', 'on', ''] },
  { key: 'runtime-export-interval', valid: ['15s', '1m'], invalid: ['15', 'often'] },
];

const spoken = (value: string) => value || 'the empty text';

describe('2.2 Configuration map config-observability', () => {
  let world: World;
  /** The problems of each round: the first value of every key at once, then the second, and so on. */
  const played: { readonly valid: readonly string[]; readonly refused: readonly string[] }[] = [];
  before(async () => {
    world = await startWorld();
    for (let round = 0; rows.some(({ valid, invalid }) => round < valid.length || round < invalid.length); round += 1) {
      const valid = await play(round, 'valid');
      const refused = await play(round, 'invalid');
      played.push({ valid, refused });
    }
  });
  after(() => world.close());

  /** Writes a map of the values of one round; what the controller says is wrong with it. */
  async function play(round: number, of: 'valid' | 'invalid'): Promise<readonly string[]> {
    const given = rows.flatMap((row) => {
      const value = row[of][round];
      return value === undefined ? [] : [{ ...row.beside, [row.key]: value }];
    });
    const outcome = await world.configure(map, Object.assign({}, ...given));
    return outcome === 'refused' ? problems() : [];
  }

  const rounds = (values: readonly string[]) => played.slice(0, values.length);
  const ofKey = (key: string, from: readonly string[]) => from.filter((problem) => problem.startsWith(`${key}: `));

  /** What was wrong with the version refused last. */
  function problems(): readonly string[] {
    const refusal = world.controller.lines.findLast((line) => line.map === map && Array.isArray(line.problems));
    return refusal?.problems as readonly string[];
  }

  const typeOf = async (metric: string) => readScrape(await world.scrape()).get(metric)?.type;

  for (const { key, valid, invalid } of rows) {
    it(`${key} takes ${valid.map(spoken).join(', ')}`, () => {
      const wrong = rounds(valid).map((round) => ofKey(key, round.valid));
      expect(wrong).to.deep.equal(valid.map(() => []));
    });

    it(`${key} does not take ${invalid.map(spoken).join(', ')}`, () => {
      for (const { refused } of rounds(invalid)) expect(ofKey(key, refused).join('\n')).to.match(/: expected .*, got /);
    });
  }

  it('the defaults hold where a map names nothing, and where there is no map', async () => {
    const changed = { 'metrics.taskrun.level': 'namespace', 'metrics.running-pipelinerun.level': 'namespace' };
    for (const goBack of [() => world.configure(map, {}), () => world.removeMap(map)]) {
      await world.configure(map, changed);
      await goBack();
      const run = await world.finish('TaskRun', 'by-default', { more: { spec: { taskRef: { name: 'lint' } } } });
      const text = await world.scrape();
      expect(linesOf(text, 'taskrun_duration_seconds').join()).to.include('{task="lint",status="success",namespace=');
      expect(linesOf(text, 'running_pipelineruns')).to.deep.equal(['running_pipelineruns 0']);
      await run.remove();
    }
  });

  it('one wrong value refuses the map as a whole: what was in force stays', async () => {
    await world.configure(map, { 'metrics.taskrun.duration-type': 'lastvalue' });
    const bad = { 'metrics.taskrun.duration-type': 'histogram', 'metrics.pipelinerun.level': 'pod' };
    expect(await world.configure(map, bad)).to.equal('refused');
    expect(await typeOf('taskrun_duration_seconds')).to.equal('gauge');
    expect(sampleValue(await world.scrape(), `config_valid{map="${map}"}`)).to.equal(0);
    expect(await world.configure(map, { 'metrics.taskrun.duration-type': 'histogram' })).to.equal('applied');
    expect(await typeOf('taskrun_duration_seconds')).to.equal('histogram');
    expect(sampleValue(await world.scrape(), `config_valid{map="${map}"}`)).to.equal(1);
  });

  it('every problem of a map is named at once', async () => {
    const bad = Object.fromEntries(rows.map(({ key, invalid }) => [key, invalid[0] ?? '']));
    expect(await world.configure(map, bad)).to.equal('refused');
    const named = problems().map((problem) => problem.slice(0, problem.indexOf(':')));
    expect(named).to.have.members(rows.map(({ key }) => key));
  });

  for (const what of ['taskrun', 'pipelinerun']) {
    it(`metrics.${what}.duration-type is a histogram or a gauge of the last duration, live`, async () => {
      const metric = `${what}_duration_seconds`;
      await world.configure(map, { [`metrics.${what}.duration-type`]: 'lastvalue' });
      expect(await typeOf(metric)).to.equal('gauge');
      await world.configure(map, { [`metrics.${what}.duration-type`]: 'histogram' });
      expect(await typeOf(metric)).to.equal('histogram');
    });

    it(`histogram is not available at metrics.${what}.level ${what}: the last duration is shown, and a warning`, async () => {
      const settings = { [`metrics.${what}.level`]: what, [`metrics.${what}.duration-type`]: 'histogram' };
      expect(await world.configure(map, settings)).to.equal('applied');
      expect(await typeOf(`${what}_duration_seconds`)).to.equal('gauge');
      const { warnings } = await world.controller.logged(
        (line) => Array.isArray(line.warnings) && String(line.warnings).startsWith(`metrics.${what}.duration-type`),
      );
      expect(String(warnings)).to.include(`histogram is not available at metrics.${what}.level ${what}`);
    });
  }

  it('the metrics endpoint applies when metrics-protocol is prometheus; no count is lost meanwhile', async () => {
    await world.configure(map, { 'metrics-protocol': 'none' });
    await world.finish('TaskRun', 'meanwhile', { condition: 'True/Meanwhile/' });
    expect(await world.metricsAnswer(404)).to.include('metrics-protocol is none');
    await world.configure(map, { 'metrics-protocol': 'prometheus' });
    expect(sampleValue(await world.metricsAnswer(200), 'taskrun_total{status="success",reason="Meanwhile"}')).to.equal(
      1,
    );
  });
});
