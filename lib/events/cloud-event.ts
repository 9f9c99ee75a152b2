import type { ResourceType } from '../kube/api.ts';
import type { Profile } from '../profile.ts';
import { field, timeMs } from '../run/fields.ts';
import { kindNames } from '../run/kind.ts';
import type { Observed, Resource, Run } from '../run/run.ts';
import type { EventWord, Step } from '../run/step.ts';
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

const encoder = new TextEncoder();

/**
 * The CloudEvents that a step owes, in order, each ready to be posted; empty when it owes none.
 *
 * The events of one step share one body. A run without a condition is timed by its creationTimestamp, and so is a
 * condition without a readable transition time; 0 where that is unreadable too.
 */
export function outgoingEvents(step: Step, options: CloudEventOptions): OutgoingEvent[] {
  const { observed, events } = step;
  if (observed === undefined || events.length === 0) return [];
  const { run, resource } = observed;
  const shared = {
    source: eventSource(run, options.resourceType),
    subject: run.name,
    timeMs: run.condition?.transitionTimeMs ?? createdMs(resource),
    synthesized: options.synthesized ?? false,
    traceparent: options.traceparent,
    kind: run.kind,
    namespace: run.namespace,
    name: run.name,
    uid: run.uid,
    resourceVersion: run.resourceVersion,
    body: encoder.encode(eventBody(run, resource, options.resourceType)),
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
  readonly observed: Pick<Observed, 'run' | 'resource' | 'times'>;
  readonly before: Run | undefined;
}

/** The id of a run's event, the same wherever and however often it is made: UUID v5, see `eventIdName`. */
export function eventId(
  { word, observed, before }: Told,
  { profile, uuid5 }: Pick<CloudEventOptions, 'profile' | 'uuid5'>,
): string {
  const { uid, resourceVersion, condition, kind } = observed.run;
  // The whole object is not parsed for the id of a Kubernetes Event.
  const startedMs = timeMs(observed.times ?? field(observed.resource, 'status'), 'startTime');
  const type = eventType(profile, { kind, word });
  return uuid5(eventIdName({ uid, type, word, resourceVersion, condition, startedMs, previous: before?.condition }));
}

function eventSource({ namespace, name }: Run, { group, version, plural }: CloudEventOptions['resourceType']): string {
  return `/apis/${group}/${version}/namespaces/${namespace}/${plural}/${name}`;
}

// Objects in a list carry neither apiVersion nor kind; in a watch they do. A body has both, whichever it came by.
function eventBody(
  { kind }: Run,
  resource: Resource,
  { group, version }: Pick<ResourceType, 'group' | 'version'>,
): string {
  const { managedFields: _, ...metadata } = fieldsOf(resource.metadata);
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = resource;
  const whole = { apiVersion: `${group}/${version}`, kind, ...rest, metadata };
  return JSON.stringify({ [kindNames[kind].bodyKey]: whole });
}

function createdMs(resource: Resource): number {
  const parsed = Date.parse(String(fieldsOf(resource.metadata).creationTimestamp));
  return Number.isNaN(parsed) ? 0 : parsed;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
