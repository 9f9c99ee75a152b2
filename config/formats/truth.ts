import type { Format } from './format.ts';

const truths: Readonly<Record<string, boolean>> = { true: true, false: false };

/** `true` or `false`, in lower case; `"False"` and `"yes"` are neither. */
export const truth: Format<boolean> = {
  expected: 'true | false',
  parse: (text) => {
    const value = Object.hasOwn(truths, text) ? truths[text] : undefined;
    return value === undefined ? undefined : { value };
  },
};
