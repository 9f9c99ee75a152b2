import { hash } from 'node:crypto';

/**
 * The namespace of every event id, as bytes: f2a1d9a4-6c0e-5d3b-9f1e-5b7c3e8a4d26. Changing it changes all ids, and
 * receivers would take replays for news.
 */
const namespace = Buffer.from('f2a1d9a46c0e5d3b9f1e5b7c3e8a4d26', 'hex');

/** What the digit that holds the variant becomes: its upper two bits are 10. */
const variants = ['8', '9', 'a', 'b'];

/**
 * A UUID v5 over a name: the same name gives the same UUID on every replica and after every restart.
 *
 * RFC 9562, section 5.5. By hand because each run needs several, and one-shot hashing takes an eighth of what the
 * package `uuid` does (1.5 of 12 us).
 */
export function uuid5(name: string): string {
  const hex = hash('sha1', Buffer.concat([namespace, Buffer.from(name)]), 'hex');
  const variant = variants[Number.parseInt(hex.charAt(16), 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
