import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Observable, Subject, shareReplay, takeUntil, tap } from 'rxjs';
import type { RunOptions } from '../../config/process/run-options.ts';
import type { SettingsState } from '../../config/settings-state.ts';
import { createEventRecorder } from '../../lib/io/kube/event-recorder.ts';
import { createKubeApi } from '../../lib/io/kube/kube-api.ts';
import type { KubeConnection } from '../../lib/io/kube/kube-connection.ts';
import { createMetrics } from '../../lib/io/metrics/metrics.ts';
import { createSink } from '../../lib/io/sink/create-sink.ts';
import { version } from '../../lib/io/version.ts';
import type { Role } from '../../lib/leader/lease.ts';
import type { Log } from '../../lib/log.ts';
import { controller, type Term } from '../controller.ts';
import { runWatches } from '../sources/run-watches.ts';
import { effectsOf } from './effects.ts';
import { liveSettings } from './live-settings.ts';
import { pendingOf } from './pending-of.ts';
import { startServers } from './servers.ts';
import type { Status } from './status.ts';
import { createTerms } from './terms.ts';
import { warnOnMap } from './warn-on-map.ts';

/** The controller at work. */
export interface RunningController {
  /** The ports that it really has. */
  readonly metricsPort: number;
  readonly healthPort: number;
  /** Stops watching, gives the sink its grace, hands the lease over, closes everything; how many events were left. */
  stop(): Promise<number>;
}

interface Options {
  readonly options: RunOptions;
  readonly connection: KubeConnection;
  readonly log: Log;
}

/** Of the time to stop in, what closing connections and handing the lease over may take, ms. */
const closingMs = 2_000;

/** Builds every part, connects them and starts. Rejects with one sentence when a port cannot be had. */
export async function startController({ options, connection, log }: Options): Promise<RunningController> {
  const { profile, configNamespace } = options;
  const reporter = { component: profile.component, instance: process.env.POD_NAME ?? hostname() };
  const metrics = createMetrics({
    profile,
    log,
    version,
    nodeVersion: process.versions.node,
    now: () => performance.now(),
  });
  const { measure } = metrics;
  const status: Status = { role: 'standby', settings: undefined, sync: undefined, watches: [] };
  const api = createKubeApi({
    connection,
    measure,
    onLatency: metrics.observeClientLatency,
    userAgent: `${profile.component}/${version}`,
    silenceMs: options.watchSilenceMs,
  });
  const sink = createSink({ timeoutMs: options.sinkTimeoutMs, maxConnections: options.sinkConcurrency, measure });
  const recorder = createEventRecorder({ api, measure, log });
  const terms = createTerms({ api, options, log, identity: `${reporter.instance}_${randomUUID()}` });
  const effects = effectsOf({ options, metrics, sink, recorder, reporter, terms, status, log });
  const servers = await startServers({ options, metrics, status, terms, deliveries: effects, log });

  const stop$ = new Subject<void>();
  const settings$ = liveSettings({
    api,
    profile,
    namespace: configNamespace,
    waitMs: options.settingsWaitMs,
    holdSinkMs: options.sinkHoldMs,
    warnOn: warnOnMap({ recorder, reporter }),
    measure,
    log,
  }).pipe(
    remember<SettingsState>((state) => {
      status.settings = state;
    }),
  );
  const role$ = terms.role$.pipe(
    remember<Role>((role) => {
      status.role = role;
    }),
  );
  const sinceMs = Date.now();
  const begin = (): Term => {
    const checkpoint = terms.begin();
    const { watchNamespaces: namespaces, listPageSize: pageSize } = options;
    const all = runWatches({ api, profile, namespaces, checkpoint, sinceMs, pageSize, measure, log });
    status.watches = all.map(({ key }) => key);
    return {
      watches: all.map((watch) => ({ ...watch, note$: watch.note$.pipe(takeUntil(stop$)) })),
      pending$: pendingOf({ api, profile, checkpoint, watches: all, terms, measure, log }),
    };
  };
  const running = controller({ settings$, role$, begin, effects, measure, log }).subscribe({
    error: (error) => log.error({ problem: String(error) }, 'the controller stopped working, which is a bug'),
  });
  log.info({ metricsPort: servers.metricsPort, healthPort: servers.healthPort, version }, 'listening');

  return {
    metricsPort: servers.metricsPort,
    healthPort: servers.healthPort,
    stop: async () => {
      stop$.next();
      const left = await effects.drain(Math.max(0, options.shutdownTimeoutMs - closingMs));
      running.unsubscribe();
      await terms.release();
      recorder.close();
      await Promise.all([servers.close(), sink.close(), api.close()]);
      log.info({ left }, 'stopped');
      return left;
    },
  };
}

/** Shares a stream with its last value, and keeps that value where the status pages find it. */
function remember<T>(keep: (value: T) => void): (value$: Observable<T>) => Observable<T> {
  return (value$) => value$.pipe(tap(keep), shareReplay({ bufferSize: 1, refCount: true }));
}
