import type { Format } from './format.ts';

/** Exactly one of the given words. The empty word reads `"" (empty)` in a problem. */
export function oneOf<const T extends string>(...words: readonly T[]): Format<T> {
  return {
    expected: words.map((word) => word || '"" (empty)').join(' | '),
    parse: (text) => {
      const value = words.find((word) => word === text);
      return value === undefined ? undefined : { value };
    },
  };
}
