/** Longest part of a wrong text that a problem repeats; an Event's message holds 1024 characters in all. */
const maxLength = 80;

/**
 * The text in JSON quotes, cut at 80 characters.
 *
 * A text that may be a URL or carry credentials (it holds `://` or `@`) is described by its length instead: a
 * sink pasted under the wrong key must not reach a log.
 */
export function quoted(text: string): string {
  if (/:\/\/|@/.test(text)) return `a text of ${text.length} characters that may hold credentials`;
  return JSON.stringify(text.length > maxLength ? `${text.slice(0, maxLength)}…` : text);
}
