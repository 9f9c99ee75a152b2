import type { Format } from './format.ts';

/** A text that matches a pattern, kept as written; `expected` says in words what the pattern wants. */
export function text(expected: string, pattern: RegExp): Format<string> {
  return { expected, parse: (given) => (pattern.test(given) ? { value: given } : undefined) };
}
