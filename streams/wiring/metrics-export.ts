import { distinctUntilChanged, map, type Observable, tap } from 'rxjs';
import type { ObservabilitySettings } from '../../config/settings.ts';
import type { Metrics } from '../../lib/io/metrics/metrics.ts';
import { certificateStamp } from '../../lib/io/otlp/certificate-stamp.ts';
import { createStartTimes } from '../../lib/io/otlp/start-times.ts';
import type { Exporter } from '../../lib/io/otlp/target.ts';
import { againOnChange } from '../operators/again-on-change.ts';
import { switchTwoPhase } from '../operators/switch-two-phase.ts';
import { certificateLookMs, refusalOf, type Speaker, switchDebounceMs } from './speaker.ts';

type Wanted = Pick<ObservabilitySettings, 'metricsProtocol' | 'metricsEndpoint' | 'metricsExportIntervalMs'>;

/** How metrics leave now. */
interface Export extends Wanted {
  /** Undefined where nobody pushes: they are scraped, or not exported at all. */
  readonly exporter: Exporter | undefined;
}

interface Options extends Speaker {
  readonly metrics: Pick<Metrics, 'registry'>;
  /** A reading begins; call what it gives when the receiver has it. */
  readonly beginExport: () => () => void;
  /** The protocol in force has changed. */
  readonly onSwitched: (protocol: Wanted['metricsProtocol']) => void;
  /** Settings were refused on our side, with one sentence. */
  readonly onProblem: (problem: string) => void;
}

/**
 * Exports metrics as the settings ask, from the one registry, switched in two phases: emits nothing that matters, and
 * completes when the settings have and the last values are flushed.
 */
export function exportMetrics(
  observability$: Observable<ObservabilitySettings>,
  options: Options,
): Observable<unknown> {
  const startTimes = createStartTimes(Date.now() - process.uptime() * 1000);
  const stampOf = ({ metricsProtocol: protocol, metricsEndpoint: endpoint }: Wanted) =>
    certificateStamp('metrics', { protocol, endpoint, bareEndpoint: options.bareEndpoint, env: options.env });
  return observability$.pipe(
    map(({ metricsProtocol, metricsEndpoint, metricsExportIntervalMs }): Wanted => {
      return { metricsProtocol, metricsEndpoint, metricsExportIntervalMs };
    }),
    distinctUntilChanged(
      (a, b) =>
        a.metricsProtocol === b.metricsProtocol &&
        a.metricsEndpoint === b.metricsEndpoint &&
        a.metricsExportIntervalMs === b.metricsExportIntervalMs,
    ),
    againOnChange({ stampOf, everyMs: certificateLookMs }),
    switchTwoPhase<Wanted, Export>({
      debounceMs: switchDebounceMs,
      build: async (wanted) => ({ ...wanted, exporter: await build(wanted, startTimes, options) }),
      stop: async ({ exporter }) => exporter?.shutdown(),
      onRefused: (error, wanted) => {
        const problem = refusalOf('metrics-protocol', error, stampOf(wanted));
        options.log.error({ problem }, 'metrics cannot be exported like that, what was before stays');
        options.measure.count('exporter_switches_total', { signal: 'metrics', outcome: 'refused' });
        options.onProblem(problem);
      },
      onStopFailed: (error) => options.log.warn({ problem: String(error) }, 'the former export did not end well'),
    }),
    tap(({ metricsProtocol }) => {
      options.measure.count('exporter_switches_total', { signal: 'metrics', outcome: 'applied' });
      options.onSwitched(metricsProtocol);
      options.log.info({ protocol: metricsProtocol }, 'metrics are exported as the settings ask');
    }),
  );
}

async function build(
  { metricsProtocol: protocol, metricsEndpoint: endpoint, metricsExportIntervalMs: intervalMs }: Wanted,
  startTimes: ReturnType<typeof createStartTimes>,
  { metrics: { registry }, measure, listen, beginExport, bareEndpoint, env, resource, scope, report }: Options,
): Promise<Exporter | undefined> {
  if (protocol === 'prometheus' || protocol === 'none') return undefined;
  // Loaded when it is first asked for: most processes never are, and it is 15 MB of memory.
  await listen();
  const { createMetricsExporter } = await import('../../lib/io/otlp/metrics-exporter.ts');
  const say = report('metrics');
  let taken = () => {};
  return createMetricsExporter({
    protocol,
    endpoint,
    intervalMs,
    bareEndpoint,
    env,
    registry,
    resource,
    scope,
    startTimes,
    onCollect: () => {
      taken = beginExport();
    },
    onExport: (result) => {
      measure.count('exports_total', { signal: 'metrics', outcome: result.ok ? 'taken' : 'failed' });
      if (result.ok) taken();
      say(result);
    },
  });
}
