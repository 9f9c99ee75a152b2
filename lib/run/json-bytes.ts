/** The bytes of a JSON text, UTF-8: node's Buffer is one. */
export interface JsonBytes {
  readonly length: number;
  readonly [index: number]: number;
  readonly buffer: ArrayBufferLike;
  readonly byteOffset: number;
  toString(encoding: 'utf8' | 'latin1', start: number, end: number): string;
}

export const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a] as const;
export const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d] as const;

/** The bytes, to be read four at a time. Making one costs as much as walking 500 bytes: see `createWordsOf`. */
export function wordsOf({ buffer, byteOffset, length }: JsonBytes): DataView {
  return new DataView(buffer, byteOffset, length);
}

/** `wordsOf` that gives the one it made last time where the bytes are the same; it keeps those alive until the next. */
export function createWordsOf(): (bytes: JsonBytes) => DataView {
  let [last, words]: [JsonBytes?, DataView?] = [];
  return (bytes) => {
    if (words !== undefined && last === bytes) return words;
    [last, words] = [bytes, wordsOf(bytes)];
    return words;
  };
}

// In the loops from here on the bytes stand as numbers: V8 reads a module's constant anew each time, which made a walk
// half as long again.

/**
 * The first quote or backslash at `start` or behind it; `end` where there is none.
 *
 * Three in four of a run's bytes are in strings, so four are looked at at once: `x - 0x01010101 & ~x & 0x80808080` is
 * other than 0 when a byte of x is 0, and its lowest bit stands in the first of those.
 */
export function stringStop(bytes: JsonBytes, words: DataView, start: number, end: number): number {
  let at = start;
  for (const last = end - 4; at <= last; at += 4) {
    const four = words.getInt32(at, true);
    const toQuote = four ^ 0x22222222;
    const toBackslash = four ^ 0x5c5c5c5c;
    const found = (((toQuote - 0x01010101) & ~toQuote) | ((toBackslash - 0x01010101) & ~toBackslash)) & -0x7f7f7f80;
    if (found !== 0) return at + ((31 - Math.clz32(found & -found)) >> 3);
  }
  while (at < end && bytes[at] !== 0x22 && bytes[at] !== 0x5c) at += 1;
  return at;
}

/**
 * Behind the closing quote of the string whose text goes on at `start`. Without one before `end`: behind `end`, and
 * two behind it where the last byte before it is a backslash, so that the next byte is no end whatever it is.
 */
export function stringEnd(bytes: JsonBytes, words: DataView, start: number, end: number): number {
  let at = stringStop(bytes, words, start, end);
  while (at < end && bytes[at] !== 0x22) at = stringStop(bytes, words, at + 2, end);
  return at + 1;
}

/** Behind the value that begins at `start`; -1 when it does not end before `end`. */
export function skipValue(bytes: JsonBytes, words: DataView, start: number, end: number): number {
  const first = bytes[start];
  if (first === quote) {
    const at = stringEnd(bytes, words, start + 1, end);
    return at > end ? -1 : at;
  }
  if (first === openBrace || first === openBracket) return skipNested(bytes, words, start, end);
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === comma || byte === closeBrace || byte === closeBracket) return at > start ? at : -1;
  }
  return -1;
}

/** Behind the object or array that begins at `start`; -1 when it does not end before `end`. */
function skipNested(bytes: JsonBytes, words: DataView, start: number, end: number): number {
  let depth = 0;
  let at = start;
  while (at < end) {
    const byte = bytes[at] ?? 0;
    at += 1;
    if (byte === 0x22) {
      at = stringEnd(bytes, words, at, end);
    } else if (byte >= 0x5b) {
      if (byte === 0x7b || byte === 0x5b) depth += 1;
      else if (byte === 0x7d || byte === 0x5d) {
        depth -= 1;
        if (depth === 0) return at;
      }
    }
  }
  return -1;
}
