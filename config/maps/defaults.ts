import { orUnset } from '../formats/or-unset.ts';
import { sinkUrl } from '../formats/sink-url.ts';
import type { DefaultsSettings } from '../settings.ts';
import type { MapSchema } from './map-schema.ts';

const deprecated = 'default-cloud-events-sink: deprecated and to be removed, set sink in config-events instead';

/** The one key of `config-defaults` that matters here (interface document, section 2.2). */
export const defaultsMap: MapSchema<DefaultsSettings> = {
  unknownKeys: 'near',
  findings: ({ defaultCloudEventsSink }) => ({
    problems: [],
    warnings: defaultCloudEventsSink === undefined ? [] : [deprecated],
  }),
  rows: {
    defaultCloudEventsSink: {
      key: 'default-cloud-events-sink',
      format: orUnset(sinkUrl),
      default: '',
      doc: 'Deprecated: where events are posted when config-events names no sink.',
      example: 'https://broker.example/runs',
    },
  },
};
