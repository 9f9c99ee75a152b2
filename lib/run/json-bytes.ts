/** The bytes of a JSON text, UTF-8: node's Buffer is one. */
export interface JsonBytes {
  readonly length: number;
  readonly [index: number]: number;
  toString(encoding: 'utf8' | 'latin1', start: number, end: number): string;
}

export const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a] as const;
export const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d] as const;

/** Behind the closing quote of the string that begins at `start`; -1 when there is none before `limit`. */
export function skipString(bytes: JsonBytes, start: number, limit: number): number {
  for (let at = start + 1; at < limit; at += 1) {
    const byte = bytes[at];
    if (byte === quote) return at + 1;
    if (byte === backslash) at += 1;
  }
  return -1;
}

/** Behind the value that begins at `start`; -1 when it does not end before `limit`. */
export function skipValue(bytes: JsonBytes, start: number, limit: number): number {
  const first = bytes[start];
  if (first === quote) return skipString(bytes, start, limit);
  if (first === openBrace || first === openBracket) return skipNested(bytes, start, limit);
  for (let at = start; at < limit; at += 1) {
    const byte = bytes[at];
    if (byte === comma || byte === closeBrace || byte === closeBracket) return at > start ? at : -1;
  }
  return -1;
}

/** Behind the object or array that begins at `start`; -1 when it does not end before `limit`. */
export function skipNested(bytes: JsonBytes, start: number, limit: number): number {
  let depth = 0;
  for (let at = start; at < limit; at += 1) {
    let byte = bytes[at] ?? 0;
    if (byte === quote) {
      // skipString by hand, each byte read once: three in four of a run's bytes are in here.
      for (at += 1; at < limit; at += 1) {
        byte = bytes[at] ?? 0;
        if (byte === quote) break;
        if (byte === backslash) at += 1;
      }
    } else if (byte >= openBracket) {
      if (byte === openBrace || byte === openBracket) depth += 1;
      else if (byte === closeBrace || byte === closeBracket) {
        depth -= 1;
        if (depth === 0) return at + 1;
      }
    }
  }
  return -1;
}
