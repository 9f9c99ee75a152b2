import { KubeError, type WatchLine } from '../../kube/api.ts';
import { type Asked, asWords, errorLine } from '../../kube/failure.ts';

const types: ReadonlySet<unknown> = new Set<WatchLine['type']>(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']);

/**
 * One line of a watch, parsed. Throws `malformed` where it is none, and what an ERROR line says.
 *
 * The text itself stays out of the sentence: an object may hold a secret parameter.
 */
export function parseLine(asked: Asked, text: string): WatchLine {
  let value: WatchLine | null | undefined;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed(asked, `a line of ${text.length} characters that is no JSON`);
  }
  if (!types.has(value?.type)) throw malformed(asked, 'a line without a known type');
  if (typeof value?.object !== 'object' || value.object === null) throw malformed(asked, 'a line without an object');
  if (value.type === 'ERROR') throw errorLine(asked, value.object);
  return value;
}

function malformed(asked: Asked, came: string): KubeError {
  return new KubeError('malformed', `${asWords(asked)}: expected a watch event of type and object, got ${came}`);
}
