import { createMetrics, type Metrics, type MetricsOptions } from '../../../../lib/io/metrics/metrics.ts';
import { silentLog } from '../../../../lib/log.ts';
import type { Format } from '../../../../lib/metrics/exposition.ts';
import { defaultMetricsSettings, type MetricsSettings } from '../../../../lib/metrics/settings.ts';
import { profiles } from '../../../../lib/profile.ts';

/** Metrics under a clock that stands still until told, and both kinds of run synced. */
export interface Harness {
  readonly metrics: Metrics;
  readonly clock: { nowMs: number };
  apply(settings: Partial<MetricsSettings>): void;
  /** The lines of one scrape whose name begins with this, HELP and TYPE left out, the prefix cut off. */
  scrape(beginning: string): Promise<readonly string[]>;
  /** A whole scrape. */
  page(format?: Format): Promise<string>;
}

export function createHarness(settings: Partial<MetricsSettings> = {}, options: Partial<MetricsOptions> = {}): Harness {
  const clock = { nowMs: 1_000_000 };
  const profile = options.profile ?? profiles.svc;
  const metrics = createMetrics({
    profile,
    now: () => clock.nowMs,
    log: silentLog,
    version: '1.2.3',
    nodeVersion: 'v24.0.0',
    runtimeMetrics: false,
    ...options,
  });
  const apply = (next: Partial<MetricsSettings>) => metrics.apply({ ...defaultMetricsSettings, ...next });
  const page = (format: Format = 'text') => joined(metrics.render(format));
  apply(settings);
  metrics.setRunGauges('TaskRun', true);
  metrics.setRunGauges('PipelineRun', true);

  async function scrape(beginning: string): Promise<readonly string[]> {
    const start = profile.metricPrefix + beginning;
    const lines = (await page()).split('\n').filter((line) => line.startsWith(start));
    return lines.map((line) => line.slice(profile.metricPrefix.length));
  }
  return { metrics, clock, apply, scrape, page };
}

/** All chunks as one text. */
export async function joined(chunks: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return text;
}
