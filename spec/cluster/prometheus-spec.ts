import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { profiles } from '../../lib/profile.ts';
import type { Kind } from '../../lib/run/kind.ts';
import { chartDir } from '../../scripts/chart/generated.ts';
import { lasting } from '../support/run-on-server.ts';
import { startWorld, type World } from '../support/world.ts';
import { only, render } from './chart/support/helm.ts';
import { alertsOf, type Prometheus, type Sample, startPrometheus } from './prometheus.ts';
import { filled, questions } from './prometheus-questions.ts';
import { promtoolProblems } from './promtool.ts';
import { until } from './until.ts';

/** A run of a batch: what it is of, how long it took, how it ended. */
interface Finished {
  readonly kind: Kind;
  readonly of: string;
  readonly seconds: number;
  readonly condition: string;
  readonly labels?: Readonly<Record<string, string>>;
}

const inRelease = { 'svc.dev/pipeline': 'release', 'svc.dev/pipelineRun': 'release-1' };

/**
 * Done once before Prometheus looks and twice while it does. Every counter then grows from a to 3a, so that what
 * `increase()` adds for the time before the first and after the last sample is the same share of each.
 */
const batch: readonly Finished[] = [
  { kind: 'TaskRun', of: 'unit', seconds: 42, condition: 'True/Succeeded/' },
  { kind: 'TaskRun', of: 'unit', seconds: 42, condition: 'True/Succeeded/' },
  { kind: 'TaskRun', of: 'unit', seconds: 42, condition: 'True/Succeeded/', labels: inRelease },
  { kind: 'TaskRun', of: 'unit', seconds: 42, condition: 'False/Failed/' },
  { kind: 'PipelineRun', of: 'release', seconds: 42, condition: 'True/Succeeded/' },
  { kind: 'PipelineRun', of: 'build', seconds: 20, condition: 'True/Completed/' },
  { kind: 'PipelineRun', of: 'build', seconds: 20, condition: 'False/Failed/' },
  { kind: 'PipelineRun', of: 'build', seconds: 20, condition: 'False/Failed/' },
  { kind: 'PipelineRun', of: 'build', seconds: 200, condition: 'False/PipelineRunTimeout/' },
];

const running = [
  'Unknown/Running/',
  'Unknown/Pending/',
  'Unknown/ExceededResourceQuota/',
  'Unknown/ExceededNodeResources/',
];

/** Age of every condition when it is written: the sink hears of each so much too late. */
const lateMs = 100_000;

const { metricPrefix } = profiles.svc;
const scope = 'monitored';

describe('a real Prometheus', () => {
  let world: World;
  let prometheus: Prometheus;

  before(async () => {
    world = await startWorld({ args: ['--lease-retry', '200ms'] });
    await finish('before');
    prometheus = await startPrometheus({
      target: new URL(world.metricsUrl).host,
      targetLabels: { namespace: scope },
      honorLabels: await chartHonorsLabels(),
      rules: only(await render({ prometheusRule: { enabled: true } }, scope), 'PrometheusRule').spec,
    });
    await finish('first');
    await finish('second');
    for (const [index, condition] of running.entries()) {
      const run = await world.create('TaskRun', `running-${index}`);
      await run.condition(condition, { conditions: late(condition) });
      await run.told('started');
    }
    for (const [name, value] of Object.entries(scraped)) await prometheus.untilIs(`sum(${metricPrefix}${name})`, value);
  });

  after(async () => {
    await prometheus.stop();
    await world.close();
  });

  async function finish(name: string): Promise<void> {
    await Promise.all(
      batch.map(async ({ kind, of, seconds, condition, labels = {} }, index) => {
        const reference = kind === 'TaskRun' ? 'taskRef' : 'pipelineRef';
        const more = { metadata: { labels }, spec: { [reference]: { name: of } } };
        const run = await world.create(kind, `${name}-${index}`, more);
        await run.condition(condition, { ...lasting(seconds), conditions: late(condition) });
        await run.told(condition.startsWith('True') ? 'successful' : 'failed');
      }),
    );
  }

  const scraped = {
    taskrun_total: 3 * batch.filter(({ kind }) => kind === 'TaskRun').length,
    pipelinerun_total: 3 * batch.filter(({ kind }) => kind === 'PipelineRun').length,
    running_taskruns: running.length,
    event_queue_length: 0,
  };

  describe('answers the questions of docs/metrics.md:', () => {
    const nothing = { answer: [] };
    const answers: readonly { readonly question: RegExp; readonly answer: readonly Sample[] }[] = [
      { question: /share of TaskRuns that succeeded/, answer: [{ labels: {}, value: 0.75 }] },
      {
        question: /95 of 100 PipelineRuns/,
        answer: [
          // Three of four in the bucket to 30 s: the 0.95 quantile is 0.8 of the way from 60 to 300 s.
          { labels: { pipeline: 'build' }, value: 252 },
          // All in the bucket from 30 to 60 s.
          { labels: { pipeline: 'release' }, value: 58.5 },
        ],
      },
      {
        question: /reasons runs fail for/,
        // As shares of the first, because `increase()` of a growing count is an estimate.
        answer: [
          { labels: { reason: 'Failed' }, value: 1 },
          { labels: { reason: 'PipelineRunTimeout' }, value: 0.5 },
        ],
      },
      { question: /wait for quota or for a node/, answer: [{ labels: {}, value: 0.5 }] },
      // All in the bucket from 60 to 300 s.
      { question: /How far the sink is behind/, answer: [{ labels: {}, value: 297.6 }] },
      { question: /oldest_unsent_seconds\) > 300/, ...nothing },
      { question: /event_drops_total/, ...nothing },
      { question: /series_overflow_total/, ...nothing },
    ];
    const asked = questions(readFileSync('docs/metrics.md', 'utf8'));

    it('each of them has an answer below', () => {
      expect(asked).to.have.lengthOf(answers.length);
    });

    for (const [index, { question, answer }] of answers.entries()) {
      it(`${question.source}: ${answer.map(({ value }) => value).join(' and ') || 'nothing'}`, async () => {
        const { text = '', expr = '' } = asked[index] ?? {};
        expect(`${text}\n${expr}`).to.match(question);
        const got = await prometheus.query(expr);
        const unit = expr.startsWith('topk') ? (got[0]?.value ?? 0) : 1;

        expect(got.map(({ labels }) => labels)).to.have.deep.members(answer.map(({ labels }) => labels));
        for (const { labels, value } of answer) {
          const same = got.find((sample) => JSON.stringify(sample.labels) === JSON.stringify(labels));
          expect((same?.value ?? Number.NaN) / unit).to.be.closeTo(value, 1e-6);
        }
      });
    }

    it('what is empty above is so because of its threshold, not for want of series', async () => {
      for (const { expr } of asked.filter(({ expr }) => / > \d+$/.test(expr))) {
        expect(await prometheus.query(expr.replace(/ > \d+$/, '')), expr).to.not.deep.equal([]);
      }
    });
  });

  describe('answers every query of the dashboard:', () => {
    const { panels, templating } = JSON.parse(readFileSync(join(chartDir, 'dashboards/runs.json'), 'utf8')) as Board;
    const targets = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));

    for (const [index, { title, expr }] of targets.entries()) {
      it(`${index + 1}. ${title}`, async () => {
        const samples = await prometheus.query(filled(expr));

        expect(samples.filter(({ value }) => Number.isFinite(value))).to.not.deep.equal([]);
      });
    }

    it('and the variable for the namespace of the runs', async () => {
      const { query = '' } = templating.list.find(({ name }) => name === 'namespace') ?? {};
      const [, metric = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? [];

      expect(await prometheus.ask(`label/${label}/values?match[]=${metric}`)).to.deep.equal([world.namespace]);
    });
  });

  it("evaluates the chart's alerts, and none is pending while all is well", async () => {
    // Before its first evaluation a rule has the year 1.
    const evaluated = async () => (await alertsOf(prometheus)).every(({ lastEvaluation }) => lastEvaluation > '0002');
    await until(evaluated, { what: 'Prometheus to evaluate every alert' });
    const alerts = await alertsOf(prometheus);

    expect(alerts.length).to.be.greaterThan(5);
    expect(alerts.filter(({ health, state }) => health !== 'ok' || state !== 'inactive')).to.deep.equal([]);
  });

  it("keeps the namespace of a run, and finds the controller's own metrics by the namespace it runs in", async () => {
    const durations = await prometheus.query(`count by (namespace) (${metricPrefix}taskrun_duration_seconds_count)`);
    const build = await prometheus.query(`${metricPrefix}build_info{namespace="${scope}"}`);

    expect(durations.map(({ labels }) => labels)).to.deep.equal([{ namespace: world.namespace }]);
    expect(build).to.have.lengthOf(1);
  });

  it('has nothing against the names and texts of a scrape', async () => {
    expect(await promtoolProblems(await world.scrape())).to.deep.equal([]);
  });
});

interface Board {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query?: string }[] };
}

/** Whether the ServiceMonitor of the chart lets a sample keep its own labels. */
async function chartHonorsLabels(): Promise<boolean> {
  const { spec } = only(await render({ serviceMonitor: { enabled: true } }), 'ServiceMonitor');
  const { endpoints } = spec as { readonly endpoints: readonly { readonly honorLabels?: boolean }[] };
  return endpoints[0]?.honorLabels ?? false;
}

/** `status/reason/message` as a condition that is `lateMs` old. */
function late(text: string): readonly Readonly<Record<string, string>>[] {
  const [status = '', reason = '', message = ''] = text.split('/');
  const lastTransitionTime = new Date(Date.now() - lateMs).toISOString().replace(/\.\d+Z$/, 'Z');
  return [{ type: 'Succeeded', status, reason, message, lastTransitionTime }];
}
