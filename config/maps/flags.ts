import { truth } from '../formats/truth.ts';
import type { FlagSettings } from '../settings.ts';
import { type MapSchema, noFindings } from './map-schema.ts';

/** The one key of `feature-flags` that matters here (interface document, section 2.2). */
export const flagsMap: MapSchema<FlagSettings> = {
  unknownKeys: 'near',
  findings: () => noFindings,
  rows: {
    sendCloudEventsForRuns: {
      key: 'send-cloudevents-for-runs',
      format: truth,
      default: 'false',
      doc: 'Whether events about CustomRuns are sent.',
      example: 'true',
    },
  },
};
