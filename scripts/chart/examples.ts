import { describeKeys, type KeyDescription } from '../../config/describe-keys.ts';
import { type MapName, mapNames } from '../../config/settings.ts';
import { profiles } from '../../lib/profile.ts';

const profile = profiles.svc;

const openings: Readonly<Record<MapName, string>> = {
  'config-observability': 'What metrics, traces and profiles look like and where they go.',
  'config-events': 'Where CloudEvents about runs are sent.',
  'config-defaults': 'Deprecated for events: set sink in config-events instead.',
  'feature-flags': 'What is switched on.',
};

const closing =
  'Nothing under _example is in force. Copy a key to data to set it; it holds within seconds, without a restart. ' +
  'A wrong value changes nothing: the last good settings stay, and a Warning Event on this map says why.';

/** The `_example` of each config map: every key with its default, what it does and what it may be. */
export function examples(): Readonly<Record<MapName, string>> {
  const texts = mapNames.map((map) => [map, exampleOf(map)] as const);
  return Object.fromEntries(texts) as Record<MapName, string>;
}

function exampleOf(map: MapName): string {
  const keys = describeKeys(profile).filter((key) => key.map === map);
  const blocks = [`${comment(`${openings[map]} ${closing}`)}`, ...keys.map(keyBlock)];
  return `${blocks.join('\n\n')}\n`.replaceAll(profile.eventFormat, '{{ include "controller.eventFormat" . }}');
}

function keyBlock({ key, doc, allowed, default: value }: KeyDescription): string {
  return `${comment(doc)}\n${comment(`Allowed: ${allowed}.`)}\n${key}: ${JSON.stringify(value)}`;
}

/** Lines of at most 100 columns, each after a `#`. */
function comment(text: string): string {
  const lines: string[] = [];
  let line = '#';
  for (const word of text.split(' ')) {
    if (line.length + word.length >= 100) {
      lines.push(line);
      line = '#';
    }
    line += ` ${word}`;
  }
  return [...lines, line].join('\n');
}
