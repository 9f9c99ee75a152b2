import type { Condition } from '../run/condition.ts';
import type { EventWord } from '../run/step.ts';

/** Everything that tells one event from another, whoever sends it. */
export interface EventIdentity {
  readonly uid: string;
  readonly type: string;
  readonly word: EventWord;
  readonly resourceVersion: string;
  readonly condition: Condition | undefined;
  /** The condition of the run's version before; undefined at first sight. */
  readonly previous: Condition | undefined;
}

/**
 * The name that an event's UUID v5 is made over: a JSON array of strings, so that no two lists of parts read alike.
 *
 * `started` is (uid, type): who missed the first condition still owes the same event. Any other is (uid, type,
 * status, reason, message, transition time), with the resourceVersion when the time is missing or is the previous
 * condition's: a condition may go A, B, A within one second, and a receiver that drops known ids must not end up
 * believing B.
 */
export function eventIdName({ uid, type, word, resourceVersion, condition, previous }: EventIdentity): string {
  if (word === 'started') return JSON.stringify([uid, type]);
  const { status = '', reason = '', message = '', transitionTimeMs = undefined } = condition ?? {};
  const parts = [uid, type, status, reason, message, String(transitionTimeMs ?? '')];
  const ambiguous = transitionTimeMs === undefined || transitionTimeMs === previous?.transitionTimeMs;
  return JSON.stringify(ambiguous ? [...parts, resourceVersion] : parts);
}
