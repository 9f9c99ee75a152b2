import type { Format } from './format.ts';
import { quoted } from './quoted.ts';

/** The sentence about a text that is not of its format: `metrics.taskrun.level: expected ..., got "pod"`. */
export function problemOf(where: string, format: Format<unknown>, text: string): string {
  const shown = format.shown ?? quoted;
  return `${where}: expected ${format.expected}, got ${shown(text)}`;
}
