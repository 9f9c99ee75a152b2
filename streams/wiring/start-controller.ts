import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Observable, Subject, shareReplay, takeUntil, tap } from 'rxjs';
import type { RunOptions } from '../../config/process/run-options.ts';
import { nextSettingLines } from '../../config/setting-lines.ts';
import type { SettingsState } from '../../config/settings-state.ts';
import type { CheckpointBook } from '../../lib/checkpoint/book.ts';
import type { PendingEvent } from '../../lib/checkpoint/checkpoint.ts';
import { tokenBuckets } from '../../lib/events/token-bucket.ts';
import { createEventRecorder } from '../../lib/io/kube/event-recorder.ts';
import { createKubeApi } from '../../lib/io/kube/kube-api.ts';
import type { KubeConnection } from '../../lib/io/kube/kube-connection.ts';
import { createMetrics } from '../../lib/io/metrics/metrics.ts';
import { openOutbox } from '../../lib/io/outbox/open-outbox.ts';
import { createSink } from '../../lib/io/sink/create-sink.ts';
import { version } from '../../lib/io/version.ts';
import { within } from '../../lib/io/within.ts';
import type { Role } from '../../lib/leader/lease.ts';
import type { Log } from '../../lib/log.ts';
import { controller } from '../controller.ts';
import type { Term } from '../lead.ts';
import { runWatches, watchKeys } from '../sources/run-watches.ts';
import { effectsOf } from './effects.ts';
import { liveSettings } from './live-settings.ts';
import { createDurability } from './outbox.ts';
import { pendingOf } from './pending-of.ts';
import { metricsSecurity, sinkSecurity } from './secure-ends.ts';
import { startServers } from './servers.ts';
import type { Status } from './status.ts';
import { startTelemetry } from './telemetry.ts';
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

/** Builds every part, connects them and starts. Rejects with one sentence when a port or the data dir cannot be had. */
export async function startController({ options, connection, log }: Options): Promise<RunningController> {
  const { profile, configNamespace } = options;
  const instanceId = randomUUID();
  const reporter = { component: profile.component, instance: process.env.POD_NAME ?? hostname() };
  const metrics = createMetrics({
    profile,
    log,
    version,
    nodeVersion: process.versions.node,
    now: () => performance.now(),
  });
  const { measure } = metrics;
  const status: Status = {
    role: 'standby',
    settings: undefined,
    sync: undefined,
    watches: [],
    lines: [],
    exporters: () => [],
  };
  const api = createKubeApi({
    connection,
    measure,
    onLatency: metrics.observeClientLatency,
    userAgent: `${profile.component}/${version}`,
    silenceMs: options.watchSilenceMs,
  });
  const { sinkTimeoutMs: timeoutMs, sinkConcurrency: maxConnections } = options;
  const mayPost = () => terms.mayAct();
  const sink = createSink({ timeoutMs, maxConnections, mayPost, measure, ...sinkSecurity({ options, measure, log }) });
  const security = metricsSecurity({ options, api, measure, log });
  const overall = { burst: options.kubeEventBurst, perSecond: options.kubeEventRatePerSecond };
  const buckets = tokenBuckets({ overall });
  const recorder = createEventRecorder({ api, measure, log, buckets, now: () => performance.now() });
  const { dataDir: dir, deadLetterLimitBytes, sinkGiveUpMs: giveUpAfterMs } = options;
  const now = Date.now;
  const outbox = dir === undefined ? undefined : await openOutbox({ dir, deadLetterLimitBytes, log, measure, now });
  const terms = createTerms({ api, options, log, identity: `${reporter.instance}_${instanceId}`, outbox });
  const settings$ = liveSettings({
    api,
    profile,
    namespace: configNamespace,
    waitMs: options.settingsWaitMs,
    holdSinkMs: options.sinkHoldMs,
    putBack$: terms.putBack$,
    warnOn: warnOnMap({ recorder, reporter }),
    measure,
    log,
  }).pipe(
    remember<SettingsState>((state) => {
      status.settings = state;
      status.lines = nextSettingLines(status.lines, state, profile);
    }),
  );
  const owes: CheckpointBook['owes'] = (watch, events) => terms.book()?.owes(watch, events);
  const durability = outbox && createDurability({ outbox, owes, giveUpAfterMs, now, measure, log });
  const beginExport = () => terms.book()?.beginScrape() ?? (() => {});
  const stop$ = new Subject<void>();
  const telemetry = await startTelemetry({
    options,
    settings$: settings$.pipe(takeUntil(stop$)),
    metrics,
    beginExport: () => {
      effects.refresh();
      return beginExport();
    },
    instanceId,
    log,
  });
  status.exporters = telemetry.exporters;
  const effects = effectsOf({ options, metrics, sink, recorder, reporter, terms, durability, telemetry, status, log });
  const servers = await startServers({
    security,
    options,
    metrics,
    status,
    telemetry,
    beginExport,
    refresh: effects.refresh,
    log,
  }).catch(async (error: unknown) => {
    // Whatever is open keeps the process from ending.
    await Promise.all([telemetry.close(), outbox?.close()]);
    throw error;
  });

  const role$ = terms.role$.pipe(
    remember<Role>((role) => {
      status.role = role;
    }),
  );
  const sinceMs = Date.now();
  const begin = (): Term => {
    const { watchNamespaces: namespaces, listPageSize: pageSize } = options;
    telemetry.startOver();
    const found = terms.begin();
    const durable = durability?.begin(found, watchKeys(namespaces));
    const checkpoint = durable?.checkpoint ?? found;
    const knownOf = durable?.knownOf;
    const given = { api, profile, namespaces, pageSize, putBack$: terms.putBack$, measure, log };
    const all = runWatches({ ...given, checkpoint, knownOf, sinceMs });
    status.watches = all.map(({ key }) => key);
    const recover = (pending: readonly PendingEvent[]) =>
      pendingOf({
        api,
        profile,
        checkpoint: checkpoint && { ...checkpoint, pending },
        watches: all,
        terms,
        measure,
        log,
      });
    return {
      watches: all.map((watch) => ({ ...watch, note$: watch.note$.pipe(takeUntil(stop$)) })),
      pending$: (durable?.pending$(recover) ?? recover(checkpoint?.pending ?? [])).pipe(
        tap(() => terms.book()?.resumed()),
      ),
    };
  };
  const running = controller({ settings$, role$, begin, effects, measure, log }).subscribe({
    error: (error) => log.error({ problem: String(error) }, 'the controller stopped working, which is a bug'),
  });
  const { metricsPort, healthPort } = servers;
  const { profilingPort } = telemetry;
  const telling = telemetry.run$.subscribe({
    error: (error) => log.error({ problem: String(error) }, 'exporters no longer follow the settings, which is a bug'),
  });
  const told = new Promise<void>((resolve) => telling.add(resolve));
  log.info({ metricsPort, healthPort, profilingPort, version }, 'listening');

  return {
    metricsPort,
    healthPort,
    stop: async () => {
      stop$.next();
      const left = await effects.drain(Math.max(0, options.shutdownTimeoutMs - closingMs));
      running.unsubscribe();
      await told;
      // An API server that hangs must not keep us past our time: the lease then expires by itself.
      await within(terms.release(), closingMs);
      await outbox?.close();
      recorder.close();
      await Promise.all([servers.close(), telemetry.close(), sink.close(), api.close()]);
      log.info({ left }, 'stopped');
      return left;
    },
  };
}

/** Shares a stream with its last value, and keeps that value where the status pages find it. */
function remember<T>(keep: (value: T) => void): (value$: Observable<T>) => Observable<T> {
  return (value$) => value$.pipe(tap(keep), shareReplay({ bufferSize: 1, refCount: true }));
}
