import { ignoreElements, map, merge, type Observable, tap } from 'rxjs';
import type { RunOptions } from '../../config/process/run-options.ts';
import type { ObservabilitySettings } from '../../config/settings.ts';
import type { SettingsState } from '../../config/settings-state.ts';
import type { Metrics } from '../../lib/io/metrics/metrics.ts';
import { reportExports } from '../../lib/io/otlp/report-exports.ts';
import { resourceAttributes } from '../../lib/io/otlp/resource-attributes.ts';
import type { Signal } from '../../lib/io/otlp/target.ts';
import { createProfiler } from '../../lib/io/profiling/create-profiler.ts';
import type { ShownExporter } from '../../lib/io/servers/health.ts';
import { version } from '../../lib/io/version.ts';
import type { Log } from '../../lib/log.ts';
import { exportMetrics } from './metrics-export.ts';
import { createRunTraces, type RunTraces } from './run-traces.ts';
import type { Speaker } from './speaker.ts';

interface Options {
  readonly options: RunOptions;
  readonly settings$: Observable<SettingsState>;
  readonly metrics: Metrics;
  /** A scrape or export begins; call what it gives when it is complete. */
  readonly beginExport: () => () => void;
  /** Told apart from every other process, and from this one after a restart. */
  readonly instanceId: string;
  readonly log: Log;
}

/** How metrics leave, how runs are traced, and whether the process may be profiled: each by the settings in force. */
export interface Telemetry extends Pick<RunTraces, 'trace' | 'traceparent' | 'spanOf' | 'startOver' | 'refresh'> {
  /** True while `/metrics` is answered, else the sentence that it answers with. */
  scraped(): true | string;
  /** What became of the protocols that the settings ask for. */
  exporters(): readonly ShownExporter[];
  readonly profilingPort: number;
  /** Switches with the settings; completes when they have and the last values are flushed. */
  readonly run$: Observable<never>;
  close(): Promise<void>;
}

/** Opens the profiling port, still answering 404, and is ready to follow the settings. Rejects with one sentence. */
export async function startTelemetry(given: Options): Promise<Telemetry> {
  const { options, settings$, metrics, log, beginExport } = given;
  const observability$ = settings$.pipe(map(({ settings }): ObservabilitySettings => settings['config-observability']));
  const metricsNow = standing('metrics', 'prometheus');
  const tracesNow = standing('traces', 'none');
  const speaker = speakerOf(given);
  const traces = createRunTraces(observability$, {
    ...speaker,
    profile: options.profile,
    write: (text) => void process.stdout.write(text),
    onSwitched: (protocol) => {
      if (protocol === 'none') metrics.forgetExemplars();
      tracesNow.switched(protocol);
    },
    onProblem: tracesNow.refused,
  });
  const metrics$ = exportMetrics(observability$, {
    ...speaker,
    metrics,
    beginExport,
    onSwitched: metricsNow.switched,
    onProblem: metricsNow.refused,
  });
  const profiler = createProfiler({ host: options.bindAddress ?? '::', port: options.profilingPort, log });
  const profilingPort = await profiler.open();
  const profiling$ = observability$.pipe(tap(({ runtimeProfiling }) => void profiler.enable(runtimeProfiling)));
  return {
    ...traces,
    scraped: () => {
      const { protocol } = metricsNow.shown();
      return protocol === 'prometheus' || `metrics are not served here while metrics-protocol is ${protocol}`;
    },
    exporters: () => [metricsNow.shown(), tracesNow.shown()],
    profilingPort,
    run$: merge(metrics$, traces.switch$, profiling$).pipe(ignoreElements()),
    close: () => profiler.close(),
  };
}

/** What is in force for a signal, and why what was asked for last is not. */
function standing(signal: Signal, first: string) {
  let now: ShownExporter = { signal, protocol: first, since: new Date().toISOString(), problem: null };
  return {
    shown: () => now,
    switched: (protocol: string) => {
      now = { signal, protocol, since: new Date().toISOString(), problem: null };
    },
    refused: (problem: string) => {
      now = { ...now, problem };
    },
  };
}

function speakerOf({ options: { profile, configNamespace }, metrics, instanceId, log }: Options): Speaker {
  const { POD_NAME: podName, POD_NAMESPACE: namespace = configNamespace } = process.env;
  const { component, behaviour } = profile;
  let listening: Promise<void> | undefined;
  return {
    resource: resourceAttributes({ component, version, instanceId, podName, namespace: podName && namespace }),
    scope: { name: component, version },
    bareEndpoint: behaviour.bareEndpoint,
    env: process.env,
    report: (signal) => reportExports(signal, log),
    listen: () => {
      listening ??= import('../../lib/io/otlp/route-diagnostics.ts').then(({ routeDiagnostics }) =>
        routeDiagnostics(log),
      );
      return listening;
    },
    measure: metrics.measure,
    log,
  };
}
