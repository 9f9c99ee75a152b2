import { collectDefaultMetrics, type Registry } from 'prom-client';

/** Gauges that end like counters: `promtool check metrics` minds, and their labelled neighbours add up to the same. */
const misnamed = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total'];

/** Adds what Prometheus users expect of any process (`process_*`) and of Node (`nodejs_*`). */
export function addRuntimeMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
}
