import type { Format } from './format.ts';

/** What a wrong sink is, in words that repeat nothing of it; the first that fits. */
const faults: readonly { readonly fits: RegExp; readonly words: string }[] = [
  { fits: /[\s\p{Cc}]/u, words: 'a text with white space in it' },
  { fits: /^\//, words: 'a path without a scheme and host' },
  { fits: /^https?:/i, words: 'one that cannot be read as a URL' },
  { fits: /^[a-z][a-z0-9+.-]*:\/\//i, words: 'a URL with another scheme' },
];

/**
 * An absolute http or https URL that events are posted to, kept as written; a user and password in it are allowed.
 *
 * No problem ever repeats any part of it: user, password, path and query may each be a secret.
 */
export const sinkUrl: Format<string> = {
  expected: 'an absolute http:// or https:// URL',
  parse: (text) => {
    if (!/^https?:\/\/[^/?#\\]/i.test(text) || /[\s\p{Cc}]/u.test(text)) return undefined;
    return URL.canParse(text) ? { value: text } : undefined;
  },
  shown: (text) => faults.find(({ fits }) => fits.test(text))?.words ?? 'a text that is no URL',
};
