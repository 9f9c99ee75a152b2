import type { ListPage } from '../../kube/api.ts';
import { field, text } from '../../run/fields.ts';
import type { Resource } from '../../run/run.ts';
import type { Unparsed } from '../../run/scan.ts';
import type { ListedObject, ScannedList } from '../../run/scan-list.ts';

/**
 * A page of a list with its objects left in their bytes; undefined when it is no list.
 *
 * The bytes that arrived with an object are kept for as long as the object is.
 */
export function unparsedPage(list: ScannedList | undefined): ListPage | undefined {
  if (list === undefined) return undefined;
  const metadata = field(JSON.parse(list.rest), 'metadata');
  const resourceVersion = text(metadata, 'resourceVersion');
  if (resourceVersion === '') return undefined;
  const unparsed = list.objects.map((object) => new ListedUnparsed(object));
  return { items: [], unparsed, resourceVersion, continueToken: text(metadata, 'continue') };
}

class ListedUnparsed implements Unparsed {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  #object: Resource | undefined;

  constructor({ bytes, start, end }: ListedObject) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  parse(): Resource {
    this.#object ??= JSON.parse(this.bytes.toString('utf8', this.start, this.end)) as Resource;
    return this.#object;
  }
}
