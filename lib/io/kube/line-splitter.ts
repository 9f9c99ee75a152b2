/** A line: the bytes it stands in, where it begins, and behind its end. */
export type OnLine = (bytes: Buffer, start: number, end: number) => void;

/** Cuts what arrives into lines, however it was cut on its way. */
export interface LineSplitter {
  /** Calls `onLine` for each line that ends within this chunk, without its newline. */
  push(chunk: Buffer, onLine: OnLine): void;
  /** What stands after the last newline, empty when the last line was whole. */
  rest(): Buffer;
}

const newline = 10;

/**
 * A splitter of newline-delimited UTF-8. Lines stay bytes, so a character cut in half by a chunk's border is whole
 * again, and a line's pieces are joined once, however many chunks it takes. A line within one chunk stays there.
 *
 * A line of more than `maxLineBytes` throws a RangeError.
 */
export function createLineSplitter(maxLineBytes: number): LineSplitter {
  let pieces: Buffer[] = [];
  let size = 0;

  const check = (bytes: number) => {
    if (bytes > maxLineBytes) throw new RangeError(`expected lines of at most ${maxLineBytes} bytes, got a longer one`);
  };
  const keep = (piece: Buffer) => {
    size += piece.length;
    check(size);
    pieces.push(piece);
  };
  const join = () => {
    const [first] = pieces;
    const line = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces, size);
    pieces = [];
    size = 0;
    return line;
  };

  return {
    push(chunk, onLine) {
      let start = 0;
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
        if (size === 0) {
          check(end - start);
          onLine(chunk, start, end);
        } else {
          keep(chunk.subarray(start, end));
          const line = join();
          onLine(line, 0, line.length);
        }
        start = end + 1;
      }
      if (start < chunk.length) keep(chunk.subarray(start));
    },
    rest: () => join(),
  };
}
