import { defer, from, map, mergeMap, type Observable, retry, tap, timer, toArray } from 'rxjs';
import { backoffDelay, watchBackoff } from '../../lib/backoff.ts';
import type { PendingEvent } from '../../lib/checkpoint/checkpoint.ts';
import type { OutgoingEvent } from '../../lib/events/outgoing.ts';
import { type KubeApi, KubeError, type ResourceType } from '../../lib/kube/api.ts';
import { isForgotten } from '../../lib/kube/forgotten.ts';
import type { Log } from '../../lib/log.ts';
import type { Measure } from '../../lib/metrics/own.ts';
import type { Profile } from '../../lib/profile.ts';
import { kindNames } from '../../lib/run/kind.ts';
import { readRun } from '../../lib/run/read.ts';
import type { Observed } from '../../lib/run/run.ts';
import type { EventWord } from '../../lib/run/step.ts';

interface Options {
  readonly api: Pick<KubeApi, 'discover' | 'list'>;
  readonly profile: Profile;
  readonly pending: readonly PendingEvent[];
  /** The event of one word about a run as observed, as first sight would tell it. */
  readonly eventOf: (observed: Observed, word: EventWord, synthesized: boolean) => OutgoingEvent | undefined;
  readonly measure: Measure;
  readonly log: Log;
  readonly random?: () => number;
}

/** Requests under way at once: a hundred events are read back within a second of any server. */
const concurrency = 8;

/**
 * The events that were owed and not acknowledged when the checkpoint was written, made again under their ids: one
 * value, in the order of their sequences, then complete.
 *
 * Each run is read as it was at the event's version. Where that history is gone, a run that still says the same is
 * told as `synthesized`; any other event is lost, counted and said. An API server that does not answer, or
 * answers as one that has just started (500), is asked again, for as long as it takes.
 */
export function recoverPending(options: Options): Observable<readonly OutgoingEvent[]> {
  const { api, profile, pending, random = Math.random, log } = options;
  let attempts = 0;
  return defer(() => (pending.length === 0 ? [[]] : api.discover(profile.apiGroup))).pipe(
    mergeMap((types) =>
      from(pending).pipe(
        mergeMap(async (event) => ({ event, again: await recover(event, types, options) }), concurrency),
        toArray(),
      ),
    ),
    // Not before all are read: what is tried again would be counted again.
    tap((recovered) => sayLost(recovered, options)),
    map((recovered) => recovered.flatMap(({ again = [] }) => again)),
    map((events) => events.sort((a, b) => (a.sequence < b.sequence ? -1 : 1))),
    retry({
      delay: (error) => {
        attempts += 1;
        log[attempts === 1 ? 'warn' : 'debug'](
          { problem: String(error) },
          'unacknowledged events cannot be read back yet',
        );
        return timer(backoffDelay(watchBackoff, attempts, random()));
      },
    }),
  );
}

interface Recovered {
  readonly event: PendingEvent;
  readonly again: OutgoingEvent | undefined;
}

/** The event made again; undefined where it is lost. */
async function recover(
  event: PendingEvent,
  types: readonly ResourceType[],
  options: Options,
): Promise<OutgoingEvent | undefined> {
  const type = types.find(({ plural }) => plural === kindNames[event.kind].plural);
  const past = type && (await read(event, type, event.resourceVersion, options));
  const same = past !== undefined && past !== 'expired';
  const found = past === 'expired' && type !== undefined ? await read(event, type, undefined, options) : past;
  const again = found === undefined || found === 'expired' ? undefined : options.eventOf(found, event.word, !same);
  if (again === undefined || (!same && again.id !== event.id)) return undefined;
  const { id, resourceVersion, sequence } = event;
  return { ...again, id, resourceVersion, sequence };
}

function sayLost(recovered: readonly Recovered[], { measure, log }: Options): void {
  for (const { event, again } of recovered) {
    if (again !== undefined) continue;
    measure.count('event_drops_total', { cause: 'history-lost' });
    const { id, kind, namespace, name, word } = event;
    log.warn({ id, kind, namespace, name, word }, 'an unacknowledged event is lost, the history of its run is gone');
  }
}

/** The run at a version, or now; undefined when it is not there, or another of its name is. */
async function read(
  { kind, namespace, name, uid }: PendingEvent,
  type: ResourceType,
  version: string | undefined,
  { api, profile }: Options,
): Promise<Observed | undefined | 'expired'> {
  const exact = version === undefined ? {} : ({ resourceVersion: version, resourceVersionMatch: 'Exact' } as const);
  try {
    const { items } = await api.list(type, namespace, { fieldSelector: `metadata.name=${name}`, ...exact });
    const observed = items[0] && readRun(items[0], { kind, type, labels: profile.labels });
    return observed?.run.uid === uid ? observed : undefined;
  } catch (error) {
    if (isForgotten(error) || (error instanceof KubeError && error.failure === 'future')) return 'expired';
    throw error;
  }
}
