import { CloudEvent, HTTP } from 'cloudevents';
import type { OutgoingEvent } from '../../events/outgoing.ts';
import { encodeHeader } from './encode-header.ts';

/**
 * The headers of an event in binary mode: those of the interface document, section 4.2, and the extensions
 * `sequence`, `synthesized` and `traceparent` where they apply. Throws where the event is no valid CloudEvent.
 *
 * The body is not handed over: the package would keep a base64 copy of it.
 */
export function eventHeaders(event: OutgoingEvent): Record<string, string> {
  const { id, type, sequence, synthesized, traceparent } = event;
  const cloudEvent = new CloudEvent({
    id,
    type,
    source: encodeHeader(event.source),
    subject: encodeHeader(event.subject),
    time: new Date(event.timeMs).toISOString(),
    datacontenttype: 'application/json',
    sequence,
    ...(synthesized ? { synthesized } : {}),
    ...(traceparent === undefined ? {} : { traceparent }),
  });
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(HTTP.binary(cloudEvent).headers)) headers[name] = String(value);
  return headers;
}
