import type { ListPage } from '../../kube/api.ts';
import { text } from '../../run/fields.ts';
import type { Unparsed } from '../../run/scan.ts';
import { scanList } from '../../run/scan-json.ts';

/**
 * A page of a list with its objects left in their bytes; undefined when in doubt, or when it is no list.
 *
 * The bytes of the whole page are kept for as long as one of its objects is.
 */
export function unparsedPage(bytes: Buffer): ListPage | undefined {
  const list = scanList(bytes);
  const resourceVersion = text(list?.metadata, 'resourceVersion');
  if (list === undefined || resourceVersion === '') return undefined;
  const unparsed: Unparsed[] = [];
  for (let at = 0; at < list.places.length; at += 2) {
    const [start = 0, end = 0] = [list.places[at], list.places[at + 1]];
    unparsed.push({ bytes, start, parse: () => JSON.parse(bytes.toString('utf8', start, end)) });
  }
  return { items: [], unparsed, resourceVersion, continueToken: text(list.metadata, 'continue') };
}
