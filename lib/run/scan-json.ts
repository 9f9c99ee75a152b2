/** The bytes of a JSON text, UTF-8: node's Buffer is one. */
export interface JsonBytes {
  readonly length: number;
  readonly [index: number]: number;
  toString(encoding: 'utf8', start: number, end: number): string;
}

/**
 * Which parts of an object are wanted, by key: a value as it is, parts of it in turn, or only that it is `there`.
 *
 * A wanted object is read up to its closing brace.
 */
export interface Wanted {
  readonly key: readonly number[];
  readonly name: string;
  readonly take: 'value' | 'there' | readonly Wanted[];
}

/** Rows of wanted parts from nested names: `{ spec: { status: 'value' } }`. */
export type Wish = { readonly [name: string]: 'value' | 'there' | Wish };

/** A wish as rows, keys as bytes. Names must be plain ASCII. */
export function wantedOf(wish: Wish): readonly Wanted[] {
  return Object.entries(wish).map(([name, take]) => ({
    key: [...name].map((character) => character.charCodeAt(0)),
    name,
    take: typeof take === 'string' ? take : wantedOf(take),
  }));
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

interface Found {
  readonly parts: Record<string, unknown>;
  /** Just behind the closing brace; -1 where reading stopped before it, with all that is wanted. */
  readonly end: number;
}

/**
 * The wanted parts of the object that begins at `start`, the rest left out; undefined when in doubt.
 *
 * What is given equals what JSON.parse would give, as far as it is wanted, for every compact JSON text that has no key
 * twice in one object. White space between tokens, an escape in a key, a key twice, a text cut short: doubt. What is not wanted is
 * only stepped over, so a text that is no JSON there is not found out. Reading stops once every wanted key of the
 * object was seen and the last of them, an object, has had all of its own.
 */
export function scanJson(bytes: JsonBytes, start: number, wanted: readonly Wanted[]): Found['parts'] | undefined {
  try {
    return bytes[start] === openBrace ? scanObject(bytes, start, wanted, true)?.parts : undefined;
  } catch {
    // A wanted value that is no JSON.
    return undefined;
  }
}

function scanObject(bytes: JsonBytes, start: number, wanted: readonly Wanted[], mayStop: boolean): Found | undefined {
  const parts: Record<string, unknown> = {};
  let missing = wanted.length;
  let at = start + 1;
  if (bytes[at] === closeBrace) return { parts, end: at + 1 };
  for (;;) {
    const keyEnd = bytes[at] === quote ? skipString(bytes, at) : -1;
    if (keyEnd === -1 || bytes[keyEnd] !== colon) return undefined;
    const row = rowOf(bytes, at + 1, keyEnd - 1, wanted);
    if (row === 'doubt' || (row !== undefined && parts[row.name] !== undefined)) return undefined;
    if (row === undefined) {
      at = skipValue(bytes, keyEnd + 1);
    } else {
      missing -= 1;
      at = take(bytes, keyEnd + 1, row, parts, mayStop && missing === 0);
      if (mayStop && missing === 0 && at !== -2) return { parts, end: -1 };
    }
    if (bytes[at] === closeBrace) return { parts, end: at + 1 };
    if (bytes[at] !== comma) return undefined;
    at += 1;
  }
}

/** Puts a wanted value into `parts`; where it ends, -1 when it stopped before that, -2 for doubt. */
function take(bytes: JsonBytes, start: number, row: Wanted, parts: Record<string, unknown>, last: boolean): number {
  if (typeof row.take !== 'string' && bytes[start] === openBrace) {
    const found = scanObject(bytes, start, row.take, last);
    if (found === undefined) return -2;
    parts[row.name] = found.parts;
    return found.end;
  }
  const end = skipValue(bytes, start);
  if (end === -1) return -2;
  parts[row.name] = row.take === 'there' ? true : readValue(bytes, start, end);
  return end;
}

function rowOf(bytes: JsonBytes, start: number, end: number, wanted: readonly Wanted[]): Wanted | 'doubt' | undefined {
  for (const row of wanted) {
    if (row.key.length === end - start && isKey(bytes, start, row.key)) return row;
  }
  for (let at = start; at < end; at += 1) if (bytes[at] === backslash) return 'doubt';
  return undefined;
}

function isKey(bytes: JsonBytes, start: number, key: readonly number[]): boolean {
  for (let index = 0; index < key.length; index += 1) if (bytes[start + index] !== key[index]) return false;
  return true;
}

function readValue(bytes: JsonBytes, start: number, end: number): unknown {
  if (bytes[start] !== quote) return JSON.parse(bytes.toString('utf8', start, end));
  for (let at = start + 1; at < end - 1; at += 1) {
    if (bytes[at] === backslash) return JSON.parse(bytes.toString('utf8', start, end));
  }
  return bytes.toString('utf8', start + 1, end - 1);
}

/** Behind the closing quote of the string that begins at `start`; -1 when there is none. */
function skipString(bytes: JsonBytes, start: number): number {
  const { length } = bytes;
  for (let at = start + 1; at < length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) return at + 1;
    if (byte === backslash) at += 1;
  }
  return -1;
}

/** Behind the value that begins at `start`; -1 when it does not end. */
function skipValue(bytes: JsonBytes, start: number): number {
  const first = bytes[start];
  if (first === quote) return skipString(bytes, start);
  if (first === openBrace || first === openBracket) return skipNested(bytes, start);
  const { length } = bytes;
  for (let at = start; at < length; at += 1) {
    const byte = bytes[at];
    if (byte === comma || byte === closeBrace || byte === closeBracket) return at > start ? at : -1;
  }
  return -1;
}

function skipNested(bytes: JsonBytes, start: number): number {
  const { length } = bytes;
  let depth = 0;
  for (let at = start; at < length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) {
      // skipString by hand: three calls in four of a run's bytes are in here.
      for (at += 1; at < length && bytes[at] !== quote; at += 1) if (bytes[at] === backslash) at += 1;
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

/** An array of objects left in its bytes, and the rest of what it stands in. */
export interface ScannedList {
  /** Where each object begins and ends, two numbers an object. */
  readonly places: readonly number[];
  readonly metadata: unknown;
}

const listKeys = wantedOf({ items: 'value', metadata: 'value' });

/** The objects under `items` and the value of `metadata` of an object that is all of the bytes; undefined in doubt. */
export function scanList(bytes: JsonBytes): ScannedList | undefined {
  const places: number[] = [];
  let metadata: unknown;
  let at = bytes[0] === openBrace ? 1 : -1;
  for (; bytes[at - 1] !== closeBrace; at += 1) {
    const keyEnd = bytes[at] === quote ? skipString(bytes, at) : -1;
    if (keyEnd === -1 || bytes[keyEnd] !== colon) return undefined;
    const row = rowOf(bytes, at + 1, keyEnd - 1, listKeys);
    if (row === 'doubt') return undefined;
    at = row?.name === 'items' ? skipObjects(bytes, keyEnd + 1, places) : skipValue(bytes, keyEnd + 1);
    if (at === -1) return undefined;
    if (row?.name === 'metadata') metadata = JSON.parse(bytes.toString('utf8', keyEnd + 1, at));
    if (bytes[at] !== comma && bytes[at] !== closeBrace) return undefined;
  }
  return { places, metadata };
}

/** Behind the array of objects that begins at `start`, their places put into `places`; -1 when it is none. */
function skipObjects(bytes: JsonBytes, start: number, places: number[]): number {
  if (bytes[start] !== openBracket) return -1;
  if (bytes[start + 1] === closeBracket) return start + 2;
  for (let at = start + 1; ; at += 1) {
    const end = bytes[at] === openBrace ? skipNested(bytes, at) : -1;
    if (end === -1) return -1;
    places.push(at, end);
    at = end;
    if (bytes[at] === closeBracket) return at + 1;
    if (bytes[at] !== comma) return -1;
  }
}
