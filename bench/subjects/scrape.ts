import { Histogram, Registry } from 'prom-client';
import { createMetrics } from '../../lib/io/metrics/metrics.ts';
import { defaultMetricsSettings } from '../../lib/metrics/settings.ts';
import { profiles } from '../../lib/profile.ts';
import type { Run } from '../../lib/run/run.ts';
import { longestBlock } from '../support/longest-block.ts';

/** Rendering times of one process: prom-client's and ours, by turns, over the same durations. */
export interface Scrapes {
  readonly lines: number;
  readonly floorMs: readonly number[];
  readonly oursMs: readonly number[];
  readonly floorBlockMs: readonly number[];
  readonly oursBlockMs: readonly number[];
}

// 12 buckets, +Inf, sum and count.
const linesPerSeries = 15;
const buckets = [10, 30, 60, 300, 900, 1800, 3600, 5400, 10800, 21600, 43200, 86400];
const nothing = () => {};
const log = { debug: nothing, info: nothing, warn: nothing, error: console.error };

function ours(series: number) {
  const metrics = createMetrics({
    profile: profiles.svc,
    now: () => performance.now(),
    log,
    version: 'bench',
    nodeVersion: process.versions.node,
    runtimeMetrics: false,
  });
  metrics.apply({ ...defaultMetricsSettings, seriesLimit: series * 2 });
  for (let index = 0; index < series; index += 1) {
    const after: Run = {
      kind: 'TaskRun',
      uid: `u${index}`,
      namespace: `team-${index % 50}`,
      name: `run-${index}`,
      resourceVersion: '1',
      condition: { status: 'True', reason: 'Succeeded', message: '', transitionTimeMs: 0 },
      oddStatus: undefined,
      parked: false,
      task: `task-${index}`,
      pipeline: 'anonymous',
      pipelineRun: '',
      inPipeline: false,
    };
    const finished = { status: 'success', reason: 'Succeeded', durationSeconds: index % 5000 } as const;
    metrics.record({
      before: undefined,
      after,
      observed: undefined,
      events: [],
      kubeEvents: [],
      synthesized: false,
      finished,
    });
  }
  return async () => {
    let length = 0;
    for await (const chunk of metrics.render('text')) length += Buffer.from(chunk).length;
    return length;
  };
}

function floor(series: number) {
  const registry = new Registry();
  const labelNames = ['task', 'namespace', 'status'];
  const name = 'svc_pipelines_controller_taskrun_duration_seconds';
  const histogram = new Histogram({
    name,
    help: 'TaskRun duration in seconds',
    labelNames,
    buckets,
    registers: [registry],
  });
  for (let index = 0; index < series; index += 1) {
    histogram.observe({ task: `task-${index}`, namespace: `team-${index % 50}`, status: 'success' }, index % 5000);
  }
  return async () => Buffer.from(await registry.metrics()).length;
}

process.on(
  'message',
  async ({ id, asked }: { readonly id: number; readonly asked: { lines: number; repetitions: number } }) => {
    const series = Math.ceil(asked.lines / linesPerSeries);
    const [renderFloor, renderOurs] = [floor(series), ours(series)];
    const told = {
      lines: series * linesPerSeries,
      floorMs: [] as number[],
      oursMs: [] as number[],
      floorBlockMs: [] as number[],
      oursBlockMs: [] as number[],
    };
    for (let n = 0; n < asked.repetitions + 1; n += 1) {
      const [theirs, mine] = [await longestBlock(renderFloor), await longestBlock(renderOurs)];
      if (mine.value < theirs.value) throw new Error(`expected ${theirs.value} characters or more, got ${mine.value}`);
      if (n === 0) continue;
      told.floorMs.push(theirs.ms);
      told.floorBlockMs.push(theirs.blockMs);
      told.oursMs.push(mine.ms);
      told.oursBlockMs.push(mine.blockMs);
    }
    process.send?.({ id, told });
  },
);
process.on('disconnect', () => process.exit(0));
process.send?.({ id: 0, told: {} });
