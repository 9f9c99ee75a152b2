import { crossMapWarnings } from './cross-map-warnings.ts';
import type { InForce } from './in-force.ts';
import type { MapName, Settings } from './settings.ts';
import type { SettingsState, SinkState } from './settings-state.ts';

/** What is in force for each map. */
export type InForceMaps = { readonly [M in MapName]: InForce<M> };

/** The settings of all four maps together, with the sink that follows from them. */
export function settingsStateOf(maps: InForceMaps): SettingsState {
  const settings: Settings = {
    'config-observability': maps['config-observability'].value,
    'config-events': maps['config-events'].value,
    'config-defaults': maps['config-defaults'].value,
    'feature-flags': maps['feature-flags'].value,
  };
  const defaults = maps['config-defaults'].status;
  return {
    settings,
    sink: sinkState(maps),
    maps: {
      'config-observability': maps['config-observability'].status,
      'config-events': maps['config-events'].status,
      'config-defaults': { ...defaults, warnings: [...defaults.warnings, ...crossMapWarnings(settings)] },
      'feature-flags': maps['feature-flags'].status,
    },
  };
}

/** The sink of `config-events`, else the deprecated one; a map that is held pauses what it named. */
function sinkState(maps: InForceMaps): SinkState {
  const [events, defaults] = [maps['config-events'], maps['config-defaults']];
  const named = [
    { url: events.value.sink, held: events.held },
    { url: defaults.value.defaultCloudEventsSink, held: defaults.held },
  ].find(({ url }) => url !== undefined);
  if (named?.url === undefined) return { state: 'none' };
  return named.held ? { state: 'paused' } : { state: 'sink', url: named.url };
}
