import type { Format } from './format.ts';

/** A moment in UTC as ISO 8601 writes it, to the second or finer: `2026-01-31T12:00:00Z`; its value is ms since the epoch. */
export const instant: Format<number> = {
  expected: 'a time such as 2026-01-31T12:00:00Z',
  parse: (text) => {
    const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(ms) ? undefined : { value: ms };
  },
};
