import type { Format } from '../formats/format.ts';
import { oneOf } from '../formats/one-of.ts';

const words = oneOf('enabled', 'disabled');

/** `enabled` as true, `disabled` as false. */
export const switchFormat: Format<boolean> = {
  expected: words.expected,
  parse: (text) => {
    const read = words.parse(text);
    return read && { value: read.value === 'enabled' };
  },
};
