import type { Profile } from '../../lib/profile.ts';
import { defaultsMap } from './defaults.ts';
import { eventsMap } from './events.ts';
import { flagsMap } from './flags.ts';
import type { MapSchemas } from './map-schema.ts';
import { observabilityMap } from './observability.ts';

/** The four config maps as data, with the profile's names in them. */
export function mapSchemas(profile: Profile): MapSchemas {
  return {
    'config-observability': observabilityMap(profile),
    'config-events': eventsMap(profile),
    'config-defaults': defaultsMap,
    'feature-flags': flagsMap,
  };
}
