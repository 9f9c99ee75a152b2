const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The text if it has at most `maxBytes` in UTF-8, else its beginning with `...`, never half a character. */
export function truncateBytes(text: string, maxBytes: number): string {
  // No character of a string takes more than three bytes in UTF-8 for each of its units.
  if (text.length * 3 <= maxBytes) return text;
  const bytes = encoder.encode(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes - 3;
  // A byte 10xxxxxx goes on with the character before it.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${decoder.decode(bytes.subarray(0, end))}...`;
}
