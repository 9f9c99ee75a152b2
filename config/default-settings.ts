import type { Profile } from '../lib/profile.ts';
import { mapSchemas } from './maps/map-schemas.ts';
import type { DefaultsSettings, EventsSettings, FlagSettings, ObservabilitySettings, Settings } from './settings.ts';
import { settle } from './settle.ts';

/** What holds while no config map says anything. */
export function defaultSettings(profile: Profile): Settings {
  const schemas = mapSchemas(profile);
  return {
    'config-observability': settle<ObservabilitySettings>(schemas['config-observability'].rows),
    'config-events': settle<EventsSettings>(schemas['config-events'].rows),
    'config-defaults': settle<DefaultsSettings>(schemas['config-defaults'].rows),
    'feature-flags': settle<FlagSettings>(schemas['feature-flags'].rows),
  };
}
