import type { Format } from './format.ts';

/** The format, or the empty text, which means the same as leaving the key out: its value is undefined. */
export function orUnset<T>(format: Format<T>): Format<T | undefined> {
  return { ...format, parse: (text) => (text === '' ? { value: undefined } : format.parse(text)) };
}
