import { collectDefaultMetrics, Registry } from 'prom-client';

interface Options {
  /** How old a value may be when it is shown, ms; asked at each scrape or export. */
  readonly intervalMs: () => number;
  /** Ms on a clock that goes forward. */
  readonly now: () => number;
}

/** Gauges that end like counters: `promtool check metrics` minds, and their labelled neighbours add up to the same. */
const misnamed = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total'];

/**
 * Adds what Prometheus users expect of any process (`process_*`) and of Node (`nodejs_*`).
 *
 * A value is taken anew when it is asked for and older than the interval: no timer runs for it.
 */
export function addRuntimeMetrics(registry: Registry, { intervalMs, now }: Options): void {
  const runtime = new Registry();
  collectDefaultMetrics({ register: runtime });
  for (const name of misnamed) runtime.removeSingleMetric(name);
  for (const { name } of runtime.getMetricsAsArray()) {
    const metric = runtime.getSingleMetric(name);
    if (metric === undefined) continue;
    sampleAtMost(metric as Sampled, { intervalMs, now });
    registry.registerMetric(metric);
  }
}

/** The part of a prom-client metric that takes its values; its types do not show it. */
interface Sampled {
  collect?: () => unknown;
}

function sampleAtMost(metric: Sampled, { intervalMs, now }: Options): void {
  const sample = metric.collect;
  if (sample === undefined) return;
  let takenMs = Number.NEGATIVE_INFINITY;
  metric.collect = () => {
    if (now() - takenMs < intervalMs()) return undefined;
    takenMs = now();
    return sample.call(metric);
  };
}
