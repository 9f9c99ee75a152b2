import { backslash, closeBrace, closeBracket, comma, openBrace, openBracket, quote } from './json-bytes.ts';

/** One object of a list, in the piece that arrived with all of it, or in bytes of its own. */
export interface ListedObject {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** A list's objects in their bytes, and the text of everything else: a list without items. */
export interface ScannedList {
  readonly objects: readonly ListedObject[];
  readonly rest: string;
}

/** Takes a list piece by piece as it arrives. */
export interface ListScan {
  push(piece: Buffer): void;
  /** The whole list; undefined when in doubt. */
  end(): ScannedList | undefined;
}

/** What stands before a list's items: a page has been as many bytes of metadata before it is none of a server's. */
const longestHead = 65_536;

const itemsKey = Buffer.from('"items":[');
const newline = 10;

/**
 * Finds the objects of a list by their brackets while it arrives, so that the page is never put together: bytes of one
 * piece are freed together, and 2 MB in one block leave the heap in holes.
 *
 * Doubt: anything but compact JSON whose `items` are objects and its last key.
 */
export function createListScan(): ListScan {
  const objects: ListedObject[] = [];
  let state: 'head' | 'between' | 'object' | 'tail' | 'ended' | 'doubt' = 'head';
  /** The head so far, or the pieces of an object that is not complete. */
  let held: Buffer[] = [];
  let rest = '';
  const walk = createWalk();

  const takeHead = (piece: Buffer): { readonly bytes: Buffer; readonly at: number } => {
    const bytes = held.length === 0 ? piece : Buffer.concat([...held, piece]);
    const found = bytes.indexOf(itemsKey);
    const at = found === -1 ? -1 : found + itemsKey.length;
    rest = at === -1 ? '' : `${bytes.toString('utf8', 0, at)}]}`;
    held = at === -1 ? [bytes] : [];
    if (at !== -1) state = isListHead(rest) ? 'between' : 'doubt';
    else if (bytes.length > longestHead) state = 'doubt';
    return { bytes, at: at === -1 ? bytes.length : at };
  };

  const takeObject = (bytes: Buffer, start: number): number => {
    const end = walk(bytes, start);
    if (end === -1) {
      held.push(bytes.subarray(start));
      return bytes.length;
    }
    if (held.length === 0) objects.push({ bytes, start, end });
    else {
      const own = Buffer.concat([...held, bytes.subarray(start, end)]);
      objects.push({ bytes: own, start: 0, end: own.length });
      held = [];
    }
    state = 'between';
    return end;
  };

  /** One byte that is of no object. */
  const step = (byte: number | undefined): void => {
    if (state === 'between' && byte === openBrace) state = 'object';
    else if (state === 'between' && byte === closeBracket) state = 'tail';
    else if (state === 'tail' && byte === closeBrace) state = 'ended';
    else if (!(state === 'between' && byte === comma) && !(state === 'ended' && byte === newline)) state = 'doubt';
  };

  return {
    push(piece) {
      let [bytes, at] = [piece, 0];
      if (state === 'head') ({ bytes, at } = takeHead(piece));
      while (at < bytes.length && state !== 'doubt') {
        if (state !== 'object') step(bytes[at]);
        at = state === 'object' ? takeObject(bytes, at) : at + 1;
      }
    },
    end: () => (state === 'ended' ? { objects, rest } : undefined),
  };
}

/** Whether the text is that of a list with `items` as the last of its keys, and not of something within it. */
function isListHead(text: string): boolean {
  try {
    return Object.keys(JSON.parse(text)).at(-1) === 'items';
  } catch {
    return false;
  }
}

/** Walks one object after another, each from its opening brace: just behind it, or -1 where it goes on in the next bytes. */
function createWalk(): (bytes: Buffer, start: number) => number {
  let depth = 0;
  let inString = false;
  let escaped = false;

  /** The closing quote, or behind the bytes: one further when the next byte is escaped. */
  const endOfString = (bytes: Buffer, start: number): number => {
    let at = start;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === quote) return at;
      if (byte === backslash) at += 1;
    }
    return at;
  };

  return (bytes, start) => {
    const { length } = bytes;
    for (let at = inString ? start - 1 : start; at < length; at += 1) {
      const byte = inString ? quote : (bytes[at] ?? 0);
      if (byte === quote) {
        at = endOfString(bytes, at + (escaped ? 2 : 1));
        inString = at >= length;
        escaped = at > length;
      } else if (byte === openBrace || byte === openBracket) {
        depth += 1;
      } else if (byte === closeBrace || byte === closeBracket) {
        depth -= 1;
        if (depth === 0) return at + 1;
      }
    }
    return -1;
  };
}
