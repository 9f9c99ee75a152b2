/** A format of `config/formats`, recognised by the words in which it says what it expects. */
export type Shape =
  | { readonly type: 'words'; readonly words: readonly string[] }
  | { readonly type: 'list'; readonly words: readonly string[] }
  | { readonly type: 'duration'; readonly min: string; readonly max: string }
  | { readonly type: 'whole'; readonly min: string; readonly max: string }
  | { readonly type: 'rate' | 'endpoint' | 'sink' };

type Recognise = (match: RegExpExecArray) => Shape;

const wordsOf = (text: string) => text.split(' | ').map((word) => (word === '"" (empty)' ? '' : word));

/** The first row that fits decides. */
const shapes: readonly (readonly [RegExp, Recognise])[] = [
  [/^a comma-separated list of (\S+)$/, ([, words = '']) => ({ type: 'list', words: wordsOf(words) })],
  [/^a duration such as .+, from (\S+) to (\S+)$/, ([, min = '', max = '']) => ({ type: 'duration', min, max })],
  [/^a whole number from (\d+) to (\d+)$/, ([, min = '', max = '']) => ({ type: 'whole', min, max })],
  [/^a decimal from 0\.0 to 1\.0$/, () => ({ type: 'rate' })],
  [/^host:port, http:\/\/host:port or https:\/\/host:port$/, () => ({ type: 'endpoint' })],
  [/^an absolute http:\/\/ or https:\/\/ URL$/, () => ({ type: 'sink' })],
  [/^(?:\S+|"" \(empty\))(?: \| (?:\S+|"" \(empty\)))*$/, ([words]) => ({ type: 'words', words: wordsOf(words) })],
];

/** What kind of text a format expects. Throws when it is one that the chart cannot say yet. */
export function shapeOf(expected: string): Shape {
  for (const [pattern, recognise] of shapes) {
    const match = pattern.exec(expected);
    if (match !== null) return recognise(match);
  }
  throw new Error(`scripts/chart/formats.ts: expected a row for "${expected}", found none`);
}

/** Regular expressions that RE2, Go and JavaScript read alike. */
export const patterns = {
  // Digits are bounded so that no sum overflows CEL's 64-bit nanoseconds.
  duration: '^(0*[0-9]{1,5}h)?(0*[0-9]{1,7}m)?(0*[0-9]{1,9}s)?(0*[0-9]{1,12}ms)?$',
  whole: '^(0|[1-9][0-9]{0,15})$',
  rate: '^(0([.][0-9]+)?|1([.]0+)?)$',
  endpoint: '^(https?://)?([A-Za-z0-9][A-Za-z0-9._-]*|\\[[0-9A-Fa-f:.]+\\]):[1-9][0-9]{0,4}$',
  sink: '^[hH][tT][tT][pP][sS]?://[^/?#\\\\]',
} as const;
