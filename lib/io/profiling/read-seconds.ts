/** The longest CPU profile: what `go tool pprof` waits for, and 300,000 samples. */
export const maxSeconds = 300;
const defaultSeconds = 30;

/** The `seconds` of a request's query, 30 where it has none; a sentence when it is no whole number from 1 to 300. */
export function readSeconds(url: string): number | string {
  const at = url.indexOf('?');
  const text = at < 0 ? null : new URLSearchParams(url.slice(at)).get('seconds');
  if (text === null) return defaultSeconds;
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  const fits = seconds >= 1 && seconds <= maxSeconds;
  return fits
    ? seconds
    : `seconds: expected a whole number from 1 to ${maxSeconds}, got ${JSON.stringify(text.slice(0, 20))}`;
}
