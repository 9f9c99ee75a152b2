import type { Format } from './format.ts';

/** A decimal from 0.0 to 1.0 (interface document, section 8); no sign, no exponent. */
export const rate: Format<number> = {
  expected: 'a decimal from 0.0 to 1.0',
  parse: (text) => (/^(?:0(?:\.\d+)?|1(?:\.0+)?)$/.test(text) ? { value: Number(text) } : undefined),
};
