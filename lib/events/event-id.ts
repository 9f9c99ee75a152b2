import type { Condition } from '../run/condition.ts';
import type { EventWord } from '../run/step.ts';

/** Everything that tells one event from another, whoever sends it. */
export interface EventIdentity {
  readonly uid: string;
  readonly type: string;
  readonly word: EventWord;
  readonly resourceVersion: string;
  readonly condition: Condition | undefined;
  /** The run's startTime, ms since the epoch; undefined where it has none. */
  readonly startedMs?: number | undefined;
  /** The condition of the run's version before; undefined at first sight. */
  readonly previous: Condition | undefined;
}

/**
 * The name that an event's UUID v5 is made over: a JSON array of strings, so that no two lists of parts read alike.
 *
 * `started` is (uid, type): who missed the first condition still owes the same event. Any other is (uid, type,
 * status, reason, message, transition time), with the resourceVersion when the time may be the previous condition's:
 * a condition may go A, B, A within one second, and a receiver that drops known ids must not end up believing B.
 */
export function eventIdName(identity: EventIdentity): string {
  const { uid, type, word, resourceVersion, condition } = identity;
  if (word === 'started') return JSON.stringify([uid, type]);
  const { status = '', reason = '', message = '', transitionTimeMs = undefined } = condition ?? {};
  const parts = [uid, type, status, reason, message, String(transitionTimeMs ?? '')];
  return JSON.stringify(timeStands(identity) ? [...parts, resourceVersion] : parts);
}

/**
 * Whether the transition time may be that of the condition before.
 *
 * Judged by the version itself as far as it goes, because after a loss of history nobody knows the one before: the
 * time of an Unknown is that of the first Unknown, and what ended within the second of its start has that of its start.
 */
function timeStands({ condition, previous, startedMs }: EventIdentity): boolean {
  const timeMs = condition?.transitionTimeMs;
  if (timeMs === undefined || condition?.status === 'Unknown') return true;
  return timeMs === previous?.transitionTimeMs || (startedMs !== undefined && timeMs <= startedMs);
}
