import { backslash, type JsonBytes } from './json-bytes.ts';

/** The string whose JSON, without its quotes, stands between two places. Throws where that is no JSON. */
export type ReadString = (bytes: JsonBytes, start: number, end: number) => string;

/** Longer strings are made anew each time: they rarely repeat. */
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

  const isAt = (place: number, bytes: JsonBytes, start: number, length: number): boolean => {
    if (lengths[place] !== length) return false;
    const from = place * longest;
    for (let index = 0; index < length; index += 1) if (bytesOf[from + index] !== bytes[start + index]) return false;
    return true;
  };

  return (bytes, start, end) => {
    const length = end - start;
    if (length > longest) return readString(bytes, start, end);
    const place = hashOf(bytes, start, end) % places;
    if (isAt(place, bytes, start, length)) return strings[place] ?? '';
    const string = readString(bytes, start, end);
    strings[place] = string;
    lengths[place] = length;
    for (let index = 0; index < length; index += 1) bytesOf[place * longest + index] = bytes[start + index] ?? 0;
    return string;
  };
}

/** FNV-1a of 32 bits. */
function hashOf(bytes: JsonBytes, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash >>> 0;
}

/** Makes the string anew each time. */
export function readString(bytes: JsonBytes, start: number, end: number): string {
  let all = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === backslash) return JSON.parse(`"${bytes.toString('utf8', start, end)}"`);
    all |= byte;
  }
  // Of ASCII alone both are the same, and latin1 is read without a look at every byte.
  return bytes.toString(all < 0x80 ? 'latin1' : 'utf8', start, end);
}
