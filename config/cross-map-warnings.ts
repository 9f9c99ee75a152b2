import type { Settings } from './settings.ts';

/** What two maps say against each other, as warnings about `config-defaults`; empty when they agree. */
export function crossMapWarnings(settings: Settings): readonly string[] {
  const { sink } = settings['config-events'];
  const { defaultCloudEventsSink } = settings['config-defaults'];
  if (sink === undefined || defaultCloudEventsSink === undefined) return [];
  return ['default-cloud-events-sink: not used, because config-events names a sink and that one takes precedence'];
}
