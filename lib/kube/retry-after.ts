/**
 * What a `Retry-After` header asks for, in ms from `nowMs`; undefined where it is missing or unreadable.
 *
 * Both of its forms (RFC 9110, section 10.2.3): whole seconds, or an HTTP date, of which one in the past is 0.
 */
export function retryAfterMs(header: unknown, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const atMs = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
