import {
  closeBrace,
  closeBracket,
  comma,
  createWordsOf,
  openBrace,
  openBracket,
  quote,
  skipValue,
  stringEnd,
} from './json-bytes.ts';

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
interface ListScan {
  push(piece: Buffer): void;
  /** The whole list; undefined when in doubt. */
  end(): ScannedList | undefined;
}

/** What stands before a list's items, and behind them: with more bytes of it than this it is none of a server's. */
const longestRest = 65_536;

const itemsKey = Buffer.from('"items":[');

/**
 * Finds the objects of a list by their brackets while it arrives, so that the page is never put together: bytes of one
 * piece are freed together, and 2 MB in one block leave the heap in holes.
 *
 * kube-apiserver writes the items of a custom resource before the list's metadata, and those of other types behind it.
 * Doubt: anything but compact JSON whose `items` are objects.
 */
export function createListScan(): ListScan {
  const objects: ListedObject[] = [];
  let state: 'head' | 'between' | 'object' | 'tail' | 'doubt' = 'head';
  /** The head so far, the pieces of an object that is not complete, or the tail so far. */
  let held: Buffer[] = [];
  let head = '';
  let tailBytes = 0;
  const wordsIn = createWordsOf();
  const walk = createWalk(wordsIn);

  const takeHead = (piece: Buffer): { readonly bytes: Buffer; readonly at: number } => {
    const bytes = held.length === 0 ? piece : Buffer.concat([...held, piece]);
    const found = bytes.indexOf(itemsKey);
    const at = found === -1 ? -1 : found + itemsKey.length;
    head = at === -1 ? '' : bytes.toString('utf8', 0, at);
    held = at === -1 ? [bytes] : [];
    if (at !== -1) state = 'between';
    else if (bytes.length > longestRest) state = 'doubt';
    return { bytes, at: at === -1 ? bytes.length : at };
  };

  const takeObject = (bytes: Buffer, start: number): number => {
    // Most lie whole in a piece, and a walk that remembers nothing for the next one takes half the time.
    const whole = held.length === 0 ? skipValue(bytes, wordsIn(bytes), start, bytes.length) : -1;
    const end = whole === -1 ? walk(bytes, start) : whole;
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

  const takeTail = (bytes: Buffer, start: number): number => {
    held.push(bytes.subarray(start));
    tailBytes += bytes.length - start;
    if (tailBytes > longestRest) state = 'doubt';
    return bytes.length;
  };

  /** One byte that stands between the objects. */
  const step = (byte: number | undefined): void => {
    if (byte === openBrace) state = 'object';
    else if (byte === closeBracket) state = 'tail';
    else if (byte !== comma) state = 'doubt';
  };

  return {
    push(piece) {
      let [bytes, at] = [piece, 0];
      if (state === 'head') ({ bytes, at } = takeHead(piece));
      while (at < bytes.length && state !== 'doubt') {
        if (state === 'tail') at = takeTail(bytes, at);
        else if (state === 'object') at = takeObject(bytes, at);
        else {
          step(bytes[at]);
          // An object is walked from its brace, the tail begins with the bracket.
          if (state === 'between') at += 1;
        }
      }
    },
    end() {
      const tail = Buffer.concat(held).toString();
      return state === 'tail' && isList(head, tail) ? { objects, rest: `${head}${tail}` } : undefined;
    },
  };
}

/** Whether the objects stood in the `items` of the list itself, and not of something within it. */
function isList(head: string, tail: string): boolean {
  try {
    const { items } = JSON.parse(`${head}0${tail}`);
    return Array.isArray(items) && items.length === 1 && items[0] === 0;
  } catch {
    return false;
  }
}

/** Walks one object after another, each from its opening brace: just behind it, or -1 where it goes on in the next bytes. */
function createWalk(wordsIn: (bytes: Buffer) => DataView): (bytes: Buffer, start: number) => number {
  let depth = 0;
  /** How far behind the bytes before the string stands that they ended in, see `stringEnd`; 0 where they did not. */
  let beyond = 0;

  return (bytes, start) => {
    const words = wordsIn(bytes);
    const end = bytes.length;
    let at = beyond === 0 ? start : stringEnd(bytes, words, start + beyond - 1, end);
    while (at < end) {
      const byte = bytes[at] ?? 0;
      at += 1;
      if (byte === quote) {
        at = stringEnd(bytes, words, at, end);
      } else if (byte >= openBracket) {
        if (byte === openBrace || byte === openBracket) depth += 1;
        else if (byte === closeBrace || byte === closeBracket) {
          depth -= 1;
          if (depth > 0) continue;
          beyond = 0;
          return at;
        }
      }
    }
    beyond = at - end;
    return -1;
  };
}
