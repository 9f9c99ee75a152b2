import type { Format } from './format.ts';

/**
 * A comma-separated list without repeats, in the order given; white space around an item is ignored.
 *
 * Every item must be of the format, so an empty text or a comma too many has no value.
 */
export function listOf<T>(item: Format<T>): Format<readonly T[]> {
  return {
    expected: `a comma-separated list of ${item.expected}`,
    parse: (text) => {
      const values: T[] = [];
      for (const part of text.split(',')) {
        const read = item.parse(part.trim());
        if (read === undefined) return undefined;
        if (!values.includes(read.value)) values.push(read.value);
      }
      return { value: values };
    },
  };
}
