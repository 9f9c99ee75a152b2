import { type JsonBytes, stringStop, wordsOf } from './json-bytes.ts';

/**
 * The string whose JSON, without its quotes, stands between two places of the bytes; `words` are of the same bytes, see
 * `wordsOf`. Throws where that is no JSON.
 */
export type ReadString = (bytes: JsonBytes, words: DataView, start: number, end: number) => string;

/** Longer strings are made anew each time: they rarely repeat. A multiple of 4. */
const longest = 128;

/**
 * Reads strings, and gives the one it made last time where the same bytes came lately.
 *
 * A run's names come with each of its versions, and a reason with each run: comparing 30 bytes is cheaper than making
 * a string of them, it leaves no garbage, and a string that is there already has its hash. One place for each hash,
 * so that a newer string takes an older one's: it holds `places` of them at most, 0.8 MB with the default.
 */
export function createByteStrings(places = 4096): ReadString {
  const strings: string[] = new Array(places).fill('');
  const lengths = new Uint8Array(places);
  const bytesOf = new Uint8Array(places * longest);
  const wordsHeld = wordsOf(bytesOf);

  // Four bytes at a time, as in hashOf; what is left of them one by one.
  const isAt = (place: number, bytes: JsonBytes, words: DataView, start: number, length: number): boolean => {
    if (lengths[place] !== length) return false;
    const from = place * longest;
    let index = 0;
    for (; index <= length - 4; index += 4) {
      if (wordsHeld.getInt32(from + index, true) !== words.getInt32(start + index, true)) return false;
    }
    for (; index < length; index += 1) if (bytesOf[from + index] !== bytes[start + index]) return false;
    return true;
  };

  return (bytes, words, start, end) => {
    const length = end - start;
    if (length > longest) return readString(bytes, words, start, end);
    const place = hashOf(bytes, words, start, end) % places;
    if (isAt(place, bytes, words, start, length)) return strings[place] ?? '';
    const string = readString(bytes, words, start, end);
    strings[place] = string;
    lengths[place] = length;
    for (let index = 0; index < length; index += 1) bytesOf[place * longest + index] = bytes[start + index] ?? 0;
    return string;
  };
}

/** As FNV-1a of 32 bits, but for words: what they add to the high bits comes down to the low ones after each. */
function hashOf(bytes: JsonBytes, words: DataView, start: number, end: number): number {
  let hash = 0x811c9dc5 | 0;
  let at = start;
  for (; at <= end - 4; at += 4) {
    hash = Math.imul(hash ^ words.getInt32(at, true), 0x01000193);
    hash ^= hash >>> 15;
  }
  for (; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash >>> 0;
}

/** Makes the string anew each time. */
export function readString(bytes: JsonBytes, words: DataView, start: number, end: number): string {
  if (stringStop(bytes, words, start, end) < end) return JSON.parse(`"${bytes.toString('utf8', start, end)}"`);
  // Of ASCII alone both are the same, and latin1 is read without a look at every byte.
  return bytes.toString(isAscii(bytes, words, start, end) ? 'latin1' : 'utf8', start, end);
}

function isAscii(bytes: JsonBytes, words: DataView, start: number, end: number): boolean {
  let all = 0;
  let at = start;
  for (; at <= end - 4; at += 4) all |= words.getInt32(at, true);
  for (; at < end; at += 1) all |= bytes[at] ?? 0;
  return (all & -0x7f7f7f80) === 0;
}
