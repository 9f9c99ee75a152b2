// Everything but visible ASCII, and the double quote and the percent sign: CloudEvents HTTP binding 1.0, section 3.1.3.2.
const mustEncode = /[^\x21\x23\x24\x26-\x7e]/gu;

/**
 * A header value with all that may not stand in one percent-encoded as UTF-8; the same string where nothing needs it.
 *
 * A line end in a header would make an event that no sink could ever be sent.
 */
export function encodeHeader(value: string): string {
  // A lone surrogate has no UTF-8.
  return value.toWellFormed().replaceAll(mustEncode, (character) =>
    // encodeURIComponent leaves none of the matched characters as they are.
    encodeURIComponent(character),
  );
}
