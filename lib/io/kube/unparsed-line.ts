import type { UnparsedObject, WatchLine } from '../../kube/api.ts';
import type { Asked } from '../../kube/failure.ts';
import type { Resource } from '../../run/run.ts';
import { parseLine } from './parse-line.ts';

/** How a kube-apiserver begins a line about an object, up to the object's opening brace. */
const heads = (['MODIFIED', 'ADDED', 'DELETED'] as const).map((type) => ({
  type,
  bytes: Buffer.from(`{"type":"${type}","object":{`),
}));

const closeBrace = 0x7d;

/**
 * A line about an object, left in its bytes; undefined for any other, and for one that is written in another way.
 *
 * The bytes are kept for as long as the line is. Reading `object` parses the whole line, once, and throws `malformed`
 * where it turns out to be no JSON.
 */
export function unparsedLine(asked: Asked, line: Buffer): WatchLine | undefined {
  const head = heads.find(({ bytes }) => startsWith(line, bytes));
  const ends = line[line.length - 1] === closeBrace && line[line.length - 2] === closeBrace;
  return head && ends ? new UnparsedLine(asked, head.type, line, head.bytes.length - 1) : undefined;
}

function startsWith(line: Buffer, head: Buffer): boolean {
  for (let index = 0; index < head.length; index += 1) if (line[index] !== head[index]) return false;
  return true;
}

class UnparsedLine implements WatchLine {
  readonly type: WatchLine['type'];
  readonly unparsed: UnparsedObject;
  readonly #asked: Asked;
  #object: Resource | undefined;

  constructor(asked: Asked, type: WatchLine['type'], bytes: Buffer, start: number) {
    this.type = type;
    this.unparsed = { bytes, start };
    this.#asked = asked;
  }

  get object(): Resource {
    const { bytes } = this.unparsed;
    this.#object ??= parseLine(this.#asked, bytes.toString('utf8', 0, bytes.length)).object;
    return this.#object;
  }
}
