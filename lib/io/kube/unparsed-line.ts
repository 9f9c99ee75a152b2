import type { WatchLine } from '../../kube/api.ts';
import type { Asked } from '../../kube/failure.ts';
import { closeBrace } from '../../run/json-bytes.ts';
import type { Resource } from '../../run/run.ts';
import type { Unparsed } from '../../run/scan.ts';
import { parseLine } from './parse-line.ts';

/** How a kube-apiserver begins a line about an object, up to the object's opening brace. */
const heads = (['MODIFIED', 'ADDED', 'DELETED'] as const).map((type) => ({
  type,
  bytes: Buffer.from(`{"type":"${type}","object":{`),
}));

/**
 * A line about an object, left in its bytes; undefined for any other, and for one that is written in another way.
 *
 * The bytes are kept for as long as the line is. Reading `object` parses the whole line, once, and throws `malformed`
 * where it turns out to be no JSON.
 */
export function unparsedLine(asked: Asked, bytes: Buffer, start: number, end: number): WatchLine | undefined {
  if (bytes[end - 1] !== closeBrace || bytes[end - 2] !== closeBrace) return undefined;
  for (const head of heads) {
    if (startsWith(bytes, start, head.bytes)) return new UnparsedLine(asked, head, bytes, start, end);
  }
  return undefined;
}

function startsWith(bytes: Buffer, start: number, head: Buffer): boolean {
  for (let index = 0; index < head.length; index += 1) if (bytes[start + index] !== head[index]) return false;
  return true;
}

// A line and its object in one, so that the many that nobody asks for more of cost one object.
class UnparsedLine implements WatchLine, Unparsed {
  readonly type: WatchLine['type'];
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly #asked: Asked;
  readonly #lineStart: number;
  #object: Resource | undefined;

  constructor(asked: Asked, head: (typeof heads)[number], bytes: Buffer, lineStart: number, lineEnd: number) {
    this.type = head.type;
    this.bytes = bytes;
    this.start = lineStart + head.bytes.length - 1;
    this.end = lineEnd - 1;
    this.#asked = asked;
    this.#lineStart = lineStart;
  }

  get unparsed(): Unparsed {
    return this;
  }

  get object(): Resource {
    this.#object ??= parseLine(this.#asked, this.bytes.toString('utf8', this.#lineStart, this.end + 1)).object;
    return this.#object;
  }

  parse(): Resource {
    return this.object;
  }
}
