import { CloudEvent } from 'cloudevents';
import type { OutgoingEvent } from '../../events/outgoing.ts';
import { encodeHeader } from './encode-header.ts';

/**
 * The headers of an event in binary mode: those of the interface document, section 4.2, and the extensions
 * `sequence`, `synthesized` and `traceparent` where they apply. Throws where the event is no valid CloudEvent.
 *
 * The package judges the event and does not see the body, of which it would keep a base64 copy. All attributes are
 * strings here, so that a header is the name with `ce-` before it (CloudEvents HTTP binding 1.0, section 3.1.3): the
 * package's own writer would cost two thirds of its judgement again.
 */
export function eventHeaders(event: OutgoingEvent): Record<string, string> {
  const { id, type, sequence } = event;
  const source = encodeHeader(event.source);
  const subject = encodeHeader(event.subject);
  const time = new Date(event.timeMs).toISOString();
  const datacontenttype = 'application/json';
  const extensions = extensionsOf(event);
  const { specversion } = new CloudEvent({ id, type, source, subject, time, datacontenttype, sequence, ...extensions });
  const headers: Record<string, string> = {
    'content-type': datacontenttype,
    'ce-id': id,
    'ce-source': source,
    'ce-specversion': specversion,
    'ce-subject': subject,
    'ce-time': time,
    'ce-type': type,
    'ce-sequence': sequence,
  };
  for (const [name, value] of Object.entries(extensions)) headers[`ce-${name}`] = value;
  return headers;
}

function extensionsOf({ synthesized, traceparent }: OutgoingEvent): Readonly<Record<string, string>> {
  return { ...(synthesized ? { synthesized: 'true' } : {}), ...(traceparent === undefined ? {} : { traceparent }) };
}
