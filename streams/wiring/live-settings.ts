import { map, type Observable, shareReplay, timer } from 'rxjs';
import { type MapName, mapNames } from '../../config/settings.ts';
import type { SettingsState } from '../../config/settings-state.ts';
import { lastGoodStore } from '../../lib/io/kube/last-good-store.ts';
import { configMapType, type KubeApi } from '../../lib/kube/api.ts';
import type { WatchEvent } from '../../lib/kube/watch-event.ts';
import type { Log } from '../../lib/log.ts';
import type { Measure } from '../../lib/metrics/own.ts';
import type { Profile } from '../../lib/profile.ts';
import { text } from '../../lib/run/fields.ts';
import type { Resource } from '../../lib/run/run.ts';
import { settings } from '../sources/settings.ts';
import { watchResource } from '../sources/watch-resource.ts';

interface Options {
  readonly api: KubeApi;
  readonly profile: Profile;
  readonly namespace: string;
  /** How long the config maps are waited for before the last good texts are taken instead, ms. */
  readonly waitMs: number;
  /** How long the sink of a deleted map is held, ms. */
  readonly holdSinkMs: number;
  /** The API server was put back to an earlier state: the maps are listed over. */
  readonly putBack$: Observable<unknown>;
  /** Writes a Warning Event on a config map. */
  readonly warnOn: (map: Resource, reason: string, message: string) => void;
  readonly measure: Measure;
  readonly log: Log;
}

/** The settings in force, shared: each map watched by its name, every problem said in the log, a metric and an Event. */
export function liveSettings(options: Options): Observable<SettingsState> {
  const { api, profile, namespace, waitMs, holdSinkMs, warnOn, measure, log } = options;
  const store = lastGoodStore({ api, log, namespace, component: profile.component });
  const versionOf = (map: Resource | undefined) => text(map, 'metadata', 'resourceVersion');
  return settings({
    watches: watchesOf(options),
    profile,
    giveUpWaiting$: timer(waitMs, waitMs),
    holdSinkMs,
    now: Date.now,
    onApplied: ({ map, configMap, source, recovered, atMs }) => {
      measure.count('config_changes_total', { map, outcome: 'applied' });
      measure.set('config_valid', 1, { map });
      measure.set('config_last_applied_timestamp_seconds', atMs / 1000, { map });
      const resourceVersion = versionOf(configMap?.resource);
      log.info({ map, resourceVersion, source, recovered }, 'settings applied');
    },
    onProblems: (map, problems, resource) => {
      measure.count('config_changes_total', { map, outcome: 'refused' });
      measure.set('config_valid', 0, { map });
      log.error({ map, resourceVersion: versionOf(resource), problems }, 'settings refused, the last good ones stay');
      warnOn(resource, 'InvalidConfig', problems.join('; '));
    },
    onWarnings: (map, warnings, resource) => {
      log.warn({ map, warnings }, 'settings may not mean what they seem to');
      warnOn(resource, 'QuestionableConfig', warnings.join('; '));
    },
    saveLastGood: (map, data) => void store.save(map, data),
    loadLastGood: () => store.load(),
    onLoadFailed: (error) => log.warn({ problem: String(error) }, 'the last good settings cannot be read'),
  }).pipe(shareReplay({ bufferSize: 1, refCount: true }));
}

function watchesOf({
  api,
  namespace,
  putBack$,
  measure,
  log,
}: Options): Readonly<Record<MapName, Observable<WatchEvent<Resource>>>> {
  const watch = (name: MapName) =>
    watchResource({
      api,
      type: configMapType,
      namespace,
      fieldSelector: `metadata.name=${name}`,
      read: (resource) => resource,
      resourceLabel: name,
      // Of settings only those of now are wanted.
      putBack$: putBack$.pipe(map(() => undefined)),
      measure,
      log,
    });
  return Object.fromEntries(mapNames.map((name) => [name, watch(name)])) as Record<MapName, ReturnType<typeof watch>>;
}
