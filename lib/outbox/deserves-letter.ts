import type { OutgoingEvent } from '../events/outgoing.ts';
import { isProgress } from '../events/waiting.ts';
import type { DropCause } from '../metrics/own.ts';

/**
 * Whether a dropped event is kept as a dead letter: what was given up on, and what a full queue had no room for, but
 * for mere progress, whose flood would push out how runs ended.
 */
export function deservesLetter(event: OutgoingEvent, cause: DropCause): boolean {
  return cause === 'gave-up' || (cause === 'queue-full' && !isProgress(event));
}
