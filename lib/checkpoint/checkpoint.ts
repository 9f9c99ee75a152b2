import { text } from '../run/fields.ts';
import { type Kind, kinds } from '../run/kind.ts';
import { type EventWord, eventWords } from '../run/step.ts';

/** An event that was owed and not yet acknowledged when the checkpoint was written: enough to owe it again. */
export interface PendingEvent {
  readonly id: string;
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** The version and the event's place among those of its step; what orders the events of a run. */
  readonly sequence: string;
  readonly word: EventWord;
}

/** How far one watch has come. Versions; undefined before the first. */
export interface Mark {
  /** Everything up to here was acknowledged, or stands in `pending`. */
  readonly acked: string | undefined;
  /** Everything up to here stood in a completed scrape or export. */
  readonly observed: string | undefined;
}

/** What a restart, an upgrade or a failover goes on from. */
export interface Checkpoint {
  /** When it was written, ms since the epoch. */
  readonly savedMs: number;
  /** The greatest transition time seen, ms since the epoch; 0 before the first. */
  readonly greatestTransitionMs: number;
  /** By watch: `taskruns`, or `taskruns/<namespace>` when namespaces are watched one by one. */
  readonly marks: Readonly<Record<string, Mark>>;
  readonly pending: readonly PendingEvent[];
  /** The data dir of whoever wrote it, see `OutboxState.id`; undefined: it had none. */
  readonly outbox?: string;
}

/** As it stands in an annotation of the Lease. */
export function checkpointText(checkpoint: Checkpoint): string {
  return JSON.stringify({ format: 1, ...checkpoint });
}

/** A checkpoint read back; undefined when the text is none of ours, which counts as no checkpoint. */
export function readCheckpoint(annotation: string | undefined): Checkpoint | undefined {
  const value = parse(annotation ?? '');
  if (value === undefined || value.format !== 1 || typeof value.savedMs !== 'number') return undefined;
  const { savedMs, greatestTransitionMs, marks, pending } = value;
  const outbox = text(value, 'outbox');
  return {
    savedMs,
    greatestTransitionMs: typeof greatestTransitionMs === 'number' ? greatestTransitionMs : 0,
    marks: readMarks(marks),
    pending: Array.isArray(pending) ? pending.filter(isPending) : [],
    ...(outbox === '' ? {} : { outbox }),
  };
}

function parse(annotation: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(annotation);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

function readMarks(value: unknown): Readonly<Record<string, Mark>> {
  if (typeof value !== 'object' || value === null) return {};
  const version = (mark: unknown, name: string) => (/^\d+$/.test(text(mark, name)) ? text(mark, name) : undefined);
  return Object.fromEntries(
    Object.entries(value).map(([key, mark]) => [
      key,
      { acked: version(mark, 'acked'), observed: version(mark, 'observed') },
    ]),
  );
}

function isPending(value: unknown): value is PendingEvent {
  const strings = ['id', 'namespace', 'name', 'uid', 'resourceVersion', 'sequence'];
  return (
    strings.every((name) => text(value, name) !== '') &&
    kinds.some((kind) => kind === text(value, 'kind')) &&
    eventWords.some((word) => word === text(value, 'word'))
  );
}
