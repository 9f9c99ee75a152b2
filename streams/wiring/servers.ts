import type { RunOptions } from '../../config/process/run-options.ts';
import type { Metrics } from '../../lib/io/metrics/metrics.ts';
import { startHealthServer } from '../../lib/io/servers/health-server.ts';
import { type MetricsServerOptions, startMetricsServer } from '../../lib/io/servers/metrics-server.ts';
import { version } from '../../lib/io/version.ts';
import type { Log } from '../../lib/log.ts';
import type { Format } from '../../lib/metrics/exposition.ts';
import { healthOf, type Status } from './status.ts';
import type { Telemetry } from './telemetry.ts';

/** The servers that listen. */
interface Servers {
  readonly metricsPort: number;
  readonly healthPort: number;
  close(): Promise<void>;
}

interface Options {
  readonly options: RunOptions;
  readonly metrics: Pick<Metrics, 'render'>;
  readonly status: Status;
  readonly telemetry: Pick<Telemetry, 'scraped'>;
  /** A scrape begins; call what it gives when it is complete. */
  readonly beginExport: () => () => void;
  /** Writes the gauges that are written only when they are read: what waits in the queues, and how long. */
  readonly refresh: () => void;
  /** Plain HTTP for everybody where it is empty. */
  readonly security: Pick<MetricsServerOptions, 'certificate' | 'admission'>;
  readonly log: Log;
}

/** Opens the ports of metrics and health. Rejects with one sentence when one of them cannot be had. */
export async function startServers(given: Options): Promise<Servers> {
  const { options, status, log } = given;
  const host = options.bindAddress ?? '::';
  const facts = { version, node: process.versions.node, profile: options.profile.name };
  const metrics = await startMetricsServer({
    host,
    port: options.metricsPort,
    render: renderOf(given),
    enabled: given.telemetry.scraped,
    ...given.security,
    log,
  });
  try {
    const health = await startHealthServer({
      host,
      port: options.healthPort,
      health: () => healthOf(status, facts),
      log,
    });
    const close = async () => void (await Promise.all([metrics.close(), health.close()]));
    return { metricsPort: metrics.port, healthPort: health.port, close };
  } catch (error) {
    await metrics.close();
    throw error;
  }
}

/** What a scrape has shown in full counts as counted: a restart does not count it again. */
function renderOf({ metrics, refresh, beginExport }: Options): (format: Format) => AsyncIterable<string> {
  return async function* rendered(format) {
    refresh();
    const scraped = beginExport();
    yield* metrics.render(format);
    scraped();
  };
}
