import type { OutgoingEvent } from '../events/outgoing.ts';
import type { Known } from '../run/observe.ts';
import type { Run } from '../run/run.ts';
import type { KeptEvent, KeptTold } from './outbox.ts';

/** An event as a row: `head` is JSON of everything but the body. */
export interface EventRecord {
  readonly key: string;
  readonly putAtMs: number;
  readonly head: string;
  /** Bytes of its body. */
  readonly bytes: number;
}

/** What was told of a run, as a row: `run` is JSON. */
export interface ToldRecord {
  readonly uid: string;
  readonly watch: string;
  readonly told: number;
  readonly countedAt: string | null;
  readonly run: string;
}

/** What names an event among all of one data dir: one step may owe two events, their sequences differ. */
export function eventKey({ uid, sequence }: OutgoingEvent): string {
  return `${uid} ${sequence}`;
}

/** The row of an event. */
export function eventRecord({ event, putAtMs }: KeptEvent): EventRecord {
  const { body, ...head } = event;
  return { key: eventKey(event), putAtMs, head: JSON.stringify(head), bytes: body.byteLength };
}

/** The event of a row and its body. */
export function keptEvent({ putAtMs, head }: Pick<EventRecord, 'putAtMs' | 'head'>, body: Uint8Array): KeptEvent {
  // JSON leaves out what is undefined.
  return { event: { traceparent: undefined, ...JSON.parse(head), body }, putAtMs };
}

/** The row of what is known of a run, counted at its version where it is counted: the first version that says so stays. */
export function toldRecord(watch: string, { run, told, counted }: Known): ToldRecord {
  const countedAt = counted ? run.resourceVersion : null;
  return { uid: run.uid, watch, told, countedAt, run: JSON.stringify(run) };
}

/** What a row tells of a run. */
export function keptTold({ watch, told, countedAt, run }: Omit<ToldRecord, 'uid'>): KeptTold {
  const { condition, oddStatus, ...rest }: Run = JSON.parse(run);
  const whole: Run = {
    ...rest,
    oddStatus,
    condition: condition && { ...condition, transitionTimeMs: condition.transitionTimeMs },
  };
  return { watch, known: { run: whole, told, counted: countedAt !== null }, countedAt: countedAt ?? undefined };
}
