/** Hex digits that fit a number without loss: 52 of the 56 bits that a trace id must have at random. */
const digits = 13;
const range = 16 ** digits;

/**
 * Whether the trace is among the `rate` (0 to 1) that is kept.
 *
 * By the random part of the id alone, as OpenTelemetry's TraceIdRatioBased does: everybody decides the same, and what
 * is kept at one rate is kept at every higher one.
 */
export function isSampled(traceId: string, rate: number): boolean {
  const random = Number.parseInt(traceId.slice(-14, -14 + digits), 16);
  return random >= (1 - rate) * range;
}
