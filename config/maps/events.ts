import type { Profile } from '../../lib/profile.ts';
import { listOf } from '../formats/list-of.ts';
import { oneOf } from '../formats/one-of.ts';
import { orUnset } from '../formats/or-unset.ts';
import { sinkUrl } from '../formats/sink-url.ts';
import type { EventsSettings } from '../settings.ts';
import { type MapSchema, noFindings } from './map-schema.ts';

/** The keys of `config-events` (interface document, section 2.2). */
export function eventsMap(profile: Profile): MapSchema<EventsSettings> {
  return {
    unknownKeys: 'every',
    findings: () => noFindings,
    rows: {
      formats: {
        key: 'formats',
        format: listOf(oneOf(profile.eventFormat)),
        default: profile.eventFormat,
        doc: 'Formats of the events. Leave out sink to send none: an empty list is invalid.',
        example: `${profile.eventFormat}, ${profile.eventFormat}`,
      },
      sink: {
        key: 'sink',
        format: orUnset(sinkUrl),
        default: '',
        doc: 'Where events about TaskRuns, PipelineRuns and CustomRuns are posted. Without it none are sent, unless default-cloud-events-sink names a sink.',
        example: 'https://broker.example/runs',
      },
    },
  };
}
