import type { OutgoingEvent } from '../events/outgoing.ts';
import type { DropCause } from '../metrics/own.ts';
import { field, text, timeMs } from '../run/fields.ts';
import { type Kind, kindNames, kinds } from '../run/kind.ts';
import { eventWords } from '../run/step.ts';

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/**
 * An event that was dropped, as one line of JSON: a CloudEvent in structured mode.
 *
 * `dropcause` and `droptime` are extensions of the line alone: they are not sent when it is sent again.
 */
export function deadLetterLine(event: OutgoingEvent, cause: DropCause, nowMs: number): string {
  const { id, source, type, subject, sequence, synthesized, traceparent } = event;
  const head = JSON.stringify({
    specversion: '1.0',
    id,
    source,
    type,
    subject,
    time: new Date(event.timeMs).toISOString(),
    datacontenttype: 'application/json',
    sequence,
    ...(synthesized ? { synthesized } : {}),
    traceparent,
    dropcause: cause,
    droptime: new Date(nowMs).toISOString(),
  });
  return `${head.slice(0, -1)},"data":${decoder.decode(event.body)}}`;
}

/** The event of a line, ready to be posted under its id; undefined where the line is none of ours. */
export function readDeadLetter(line: string): OutgoingEvent | undefined {
  const value = parse(line);
  const data = field(value, 'data');
  const place = placeOf(text(value, 'source'));
  const type = text(value, 'type');
  const word = eventWords.find((one) => type.includes(`.${one}.`));
  const at = timeMs(value, 'time');
  if (place === undefined || word === undefined || at === undefined || text(value, 'id') === '') return undefined;
  if (typeof data !== 'object' || data === null) return undefined;
  const run = field(data, kindNames[place.kind].bodyKey);
  return {
    id: text(value, 'id'),
    source: text(value, 'source'),
    type,
    subject: text(value, 'subject'),
    timeMs: at,
    sequence: text(value, 'sequence'),
    synthesized: field(value, 'synthesized') === true,
    traceparent: text(value, 'traceparent') || undefined,
    word,
    ...place,
    uid: text(run, 'metadata', 'uid'),
    resourceVersion: text(run, 'metadata', 'resourceVersion'),
    body: encoder.encode(JSON.stringify(data)),
  };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function placeOf(source: string): { kind: Kind; namespace: string; name: string } | undefined {
  const [, namespace = '', plural = '', name = ''] =
    /^\/apis\/[^/]+\/[^/]+\/namespaces\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(source) ?? [];
  const kind = kinds.find((one) => kindNames[one].plural === plural);
  return kind && { kind, namespace, name };
}
