import type { OutgoingEvent } from '../events/outgoing.ts';

/** Which dead letters are meant; what is undefined leaves all. */
interface LetterFilter {
  /** On the event's time, ms since the epoch; both ends included. */
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
  /** An event type with `*` for any text: `*.taskrun.failed.v1`. */
  readonly type: string | undefined;
  readonly namespace: string | undefined;
}

/** Gives a function that says whether an event passes the filter. */
export function letterFilter({ sinceMs, untilMs, type, namespace }: LetterFilter): (event: OutgoingEvent) => boolean {
  const pattern = type === undefined ? /^/ : globPattern(type);
  return (event) =>
    event.timeMs >= (sinceMs ?? Number.NEGATIVE_INFINITY) &&
    event.timeMs <= (untilMs ?? Number.POSITIVE_INFINITY) &&
    pattern.test(event.type) &&
    (namespace === undefined || event.namespace === namespace);
}

function globPattern(glob: string): RegExp {
  const escaped = glob.split('*').map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`);
}
