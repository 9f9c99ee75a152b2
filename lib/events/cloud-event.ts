import type { ResourceType } from '../kube/api.ts';
import type { Profile } from '../profile.ts';
import { timeMs } from '../run/fields.ts';
import type { Observed, Run } from '../run/run.ts';
import type { EventWord, Step } from '../run/step.ts';
import { timesOf } from '../run/times.ts';
import { eventBody } from './event-body.ts';
import { eventIdName } from './event-id.ts';
import { eventType } from './event-type.ts';
import type { OutgoingEvent } from './outgoing.ts';

export interface CloudEventOptions {
  readonly profile: Profile;
  /** The resource as watched: source and apiVersion come from it, never from the object. */
  readonly resourceType: Pick<ResourceType, 'group' | 'version' | 'plural'>;
  /** UUID v5 over a name, see lib/io/uuid5.ts. */
  readonly uuid5: (name: string) => string;
  /** Told from a list after history was lost; default false. */
  readonly synthesized?: boolean;
  /** W3C trace context of the run's trace, where it is traced. */
  readonly traceparent?: string | undefined;
}

/**
 * The CloudEvents that a step owes, in order, each ready to be posted; empty when it owes none.
 *
 * The events of one step share one body. A run without a condition is timed by its creationTimestamp, and so is a
 * condition without a readable transition time; 0 where that is unreadable too.
 */
export function outgoingEvents(step: Step, options: CloudEventOptions): OutgoingEvent[] {
  const { observed, events } = step;
  if (observed === undefined || events.length === 0) return [];
  const { run } = observed;
  const shared = {
    source: eventSource(run, options.resourceType),
    subject: run.name,
    timeMs: run.condition?.transitionTimeMs ?? timeMs(timesOf(observed), 'creationTimestamp') ?? 0,
    synthesized: options.synthesized ?? false,
    traceparent: options.traceparent,
    kind: run.kind,
    namespace: run.namespace,
    name: run.name,
    uid: run.uid,
    resourceVersion: run.resourceVersion,
    body: eventBody(observed, options.resourceType),
  };
  return events.map((word, index) => ({
    ...shared,
    id: eventId({ word, observed, before: step.before }, options),
    type: eventType(options.profile, { kind: run.kind, word }),
    sequence: `${run.resourceVersion.padStart(20, '0')}.${index}`,
    word,
  }));
}

/** A version of a run, the version before it, and what it is told as. */
interface Told {
  readonly word: EventWord;
  readonly observed: Pick<Observed, 'run' | 'resource' | 'outline'>;
  readonly before: Run | undefined;
}

/** The id of a run's event, the same wherever and however often it is made: UUID v5, see `eventIdName`. */
export function eventId(
  { word, observed, before }: Told,
  { profile, uuid5 }: Pick<CloudEventOptions, 'profile' | 'uuid5'>,
): string {
  const { uid, resourceVersion, condition, kind } = observed.run;
  const startedMs = timeMs(timesOf(observed), 'startTime');
  const type = eventType(profile, { kind, word });
  return uuid5(eventIdName({ uid, type, word, resourceVersion, condition, startedMs, previous: before?.condition }));
}

function eventSource({ namespace, name }: Run, { group, version, plural }: CloudEventOptions['resourceType']): string {
  return `/apis/${group}/${version}/namespaces/${namespace}/${plural}/${name}`;
}
