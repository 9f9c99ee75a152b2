import type { ReadString } from './byte-strings.ts';
import {
  closeBrace,
  closeBracket,
  colon,
  comma,
  type JsonBytes,
  openBrace,
  openBracket,
  quote,
  skipValue,
  stringStop,
} from './json-bytes.ts';

/** One key of an object, and what of its value is wanted. */
export interface Wanted {
  readonly key: readonly number[];
  /** The value, its place, only that it is there, the wanted keys of the object, or those of one object in the array. */
  readonly take: 'value' | 'place' | 'there' | 'object' | 'one';
  /** Where a value is put, the index that it begins at (the one behind it stands a slot later), or `true`. */
  readonly slot: number;
  readonly rows: readonly Wanted[];
  /** Of `one`: the first object whose value in `slot` is this. */
  readonly is: string;
}

const bytesOf = (name: string) => [...name].map((character) => character.charCodeAt(0));
const plain = { slot: -1, rows: [], is: '' };

/** Builds what is wanted. Keys must be plain ASCII, slots small numbers. */
export const want = {
  value: (name: string, slot: number): Wanted => ({ ...plain, key: bytesOf(name), take: 'value', slot }),
  place: (name: string, slot: number): Wanted => ({ ...plain, key: bytesOf(name), take: 'place', slot }),
  there: (name: string, slot: number): Wanted => ({ ...plain, key: bytesOf(name), take: 'there', slot }),
  object: (name: string, rows: readonly Wanted[]): Wanted => ({ ...plain, key: bytesOf(name), take: 'object', rows }),
  /** Of an array of objects the first one whose value in `slot`, which its rows put there, is `is`. */
  one: (name: string, slot: number, is: string, rows: readonly Wanted[]): Wanted => ({
    key: bytesOf(name),
    take: 'one',
    slot,
    rows,
    is,
  }),
};

const doubt = -1;
/** Everything that is wanted was found: nobody reads on. */
const enough = -2;

/** One object of a text, and where what is wanted of it goes. */
interface Scan {
  readonly bytes: JsonBytes;
  /** Of the same bytes: `wordsOf`. */
  readonly words: DataView;
  /** Of its opening brace. */
  readonly start: number;
  /** Behind its closing brace, or later. */
  readonly end: number;
  /** Empty before. */
  readonly slots: unknown[];
  readonly read: ReadString;
}

/**
 * Puts the wanted values of an object into their slots; false when in doubt.
 *
 * What is found equals what JSON.parse would give, as far as it is wanted, for every compact JSON text that has no key
 * twice in one object. White space between tokens, an escape in a key, a wanted key twice, a text cut short: doubt. What
 * is not wanted is only stepped over, so a text that is no JSON there is not found out. Reading stops once every
 * wanted key of the object was seen and the last of them has had all of its own.
 */
export function scanJson(scan: Scan, rows: readonly Wanted[]): boolean {
  const end = scanFrom(scan, rows, true);
  return end !== doubt && end <= scan.end;
}

/** `scanJson` that reads to the end of the object, which must be that of the scan. */
export function scanWhole(scan: Scan, rows: readonly Wanted[]): boolean {
  return scanFrom(scan, rows, false) === scan.end;
}

function scanFrom(scan: Scan, rows: readonly Wanted[], last: boolean): number {
  try {
    return scan.bytes[scan.start] === openBrace ? scanObject(scan, scan.start, rows, last) : doubt;
  } catch {
    // A wanted value that is no JSON.
    return doubt;
  }
}

/** Behind the object that begins at `start`, doubt or enough: numbers, so that nothing is made on the way. */
function scanObject(scan: Scan, start: number, rows: readonly Wanted[], last: boolean): number {
  const { bytes, words, end: limit } = scan;
  let missing = rows.length;
  let seen = 0;
  let at = start + 1;
  if (bytes[at] === closeBrace) return at + 1;
  for (;;) {
    const keyEnd = bytes[at] === quote ? stringStop(bytes, words, at + 1, limit) : -1;
    // A backslash: what the key is only a parser can tell.
    if (bytes[keyEnd] !== quote || bytes[keyEnd + 1] !== colon) return doubt;
    const index = rowAt(bytes, at + 1, keyEnd, rows);
    const row = rows[index];
    if (row === undefined) {
      at = skipValue(bytes, words, keyEnd + 2, limit);
    } else {
      if ((seen & (1 << index)) !== 0) return doubt;
      seen |= 1 << index;
      missing -= 1;
      const lastOne = last && missing === 0;
      at = take(scan, keyEnd + 2, row, lastOne);
      if (lastOne && at !== doubt) return enough;
    }
    if (at === doubt) return doubt;
    if (bytes[at] === closeBrace) return at + 1;
    if (bytes[at] !== comma) return doubt;
    at += 1;
  }
}

/** Behind the value, which is put where it is wanted. */
function take(scan: Scan, start: number, row: Wanted, last: boolean): number {
  const { bytes, words, slots } = scan;
  const first = bytes[start];
  if (row.take === 'object' && first === openBrace) return scanObject(scan, start, row.rows, last);
  if (row.take === 'one' && first === openBracket) return takeOne(scan, start, row);
  const end = skipValue(bytes, words, start, scan.end);
  if (end === doubt) return doubt;
  if (row.take === 'there') slots[row.slot] = true;
  else if (row.take === 'place') [slots[row.slot], slots[row.slot + 1]] = [start, end];
  else if (row.take === 'value') {
    slots[row.slot] =
      first === quote ? scan.read(bytes, words, start + 1, end - 1) : JSON.parse(bytes.toString('utf8', start, end));
  }
  return end;
}

function takeOne(scan: Scan, start: number, row: Wanted): number {
  const { bytes, words, slots, end: limit } = scan;
  if (bytes[start + 1] === closeBracket) return start + 2;
  let found = false;
  for (let at = start + 1; ; at += 1) {
    if (found || bytes[at] !== openBrace) {
      at = skipValue(bytes, words, at, limit);
    } else {
      at = scanObject(scan, at, row.rows, false);
      found = slots[row.slot] === row.is;
      if (!found) for (const { slot } of row.rows) slots[slot] = undefined;
    }
    if (at === doubt) return doubt;
    if (bytes[at] === closeBracket) return at + 1;
    if (bytes[at] !== comma) return doubt;
  }
}

/** The index of the row with this key, which has no escape in it; the number of rows where there is none. */
function rowAt(bytes: JsonBytes, start: number, end: number, rows: readonly Wanted[]): number {
  const length = end - start;
  for (let index = 0; index < rows.length; index += 1) {
    const key = rows[index]?.key;
    if (key !== undefined && key.length === length && isKey(bytes, start, key)) return index;
  }
  return rows.length;
}

function isKey(bytes: JsonBytes, start: number, key: readonly number[]): boolean {
  for (let index = 0; index < key.length; index += 1) if (bytes[start + index] !== key[index]) return false;
  return true;
}
