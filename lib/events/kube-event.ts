import type { ResourceType } from '../kube/api.ts';
import type { Observed, Resource, Run } from '../run/run.ts';
import type { OwedKubeEvent } from '../run/step.ts';
import { type CloudEventOptions, eventId } from './cloud-event.ts';
import type { OutgoingEvent } from './outgoing.ts';
import { truncateBytes } from './truncate.ts';

/** Who writes the Event. */
export interface Reporter {
  /** For example `svc-pipelines-controller`. */
  readonly component: string;
  /** The pod's name. */
  readonly instance: string;
}

/** What a Kubernetes Event says, and about what. */
interface KubeEventGiven {
  /** Makes the name unique; the same news has the same id, so that a replay finds it there already. */
  readonly id: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly involved: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly reporter: Reporter;
  readonly nowMs: number;
}

/** The longest message that the API server takes: core validation, `NoteLengthLimit`. */
const maxMessageBytes = 1024;

/** The longest name of an object: a DNS subdomain. */
const maxNameLength = 253;

/**
 * A core/v1 Event as `kubectl describe` and `kubectl get events --sort-by=.lastTimestamp` show it.
 *
 * `eventTime` stays empty: with it, the core API wants the fields of its newer form, and old tools show no age.
 */
export function kubeEvent({ id, type, reason, message, involved, reporter, nowMs }: KubeEventGiven): Resource {
  // Events carry whole seconds.
  const timestamp = new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: kubeEventName(involved.name, id), namespace: involved.namespace },
    involvedObject: involved,
    type,
    reason,
    message: truncateBytes(message, maxMessageBytes),
    source: { component: reporter.component },
    reportingComponent: reporter.component,
    reportingInstance: reporter.instance,
    firstTimestamp: timestamp,
    lastTimestamp: timestamp,
    count: 1,
    eventTime: null,
  };
}

/** `<name>.<id>`, shortened and cleaned so that it is a DNS subdomain. */
export function kubeEventName(name: string, id: string): string {
  const clean = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]/g, '-')
    .slice(0, maxNameLength - id.length - 1)
    .replace(/^[.-]+/, '')
    .replace(/[.-]+$/, '')
    .replaceAll(/[.-]*\.[.-]*/g, '.');
  return clean === '' ? id : `${clean}.${id}`;
}

export interface KubeEventsOptions extends Pick<CloudEventOptions, 'profile' | 'uuid5'> {
  readonly resourceType: Pick<ResourceType, 'group' | 'version' | 'kind'>;
  readonly reporter: Reporter;
  readonly nowMs: number;
}

/** The Kubernetes Event that a step owes, named after its CloudEvent's id. */
export function kubeEventOf(
  { type, reason, message, word }: OwedKubeEvent,
  { observed, before }: { readonly observed: Observed; readonly before: Run | undefined },
  options: KubeEventsOptions,
): Resource {
  const { reporter, nowMs, resourceType } = options;
  const { uid, namespace, name, kind, resourceVersion } = observed.run;
  const apiVersion = `${resourceType.group}/${resourceType.version}`;
  const involved = { apiVersion, kind, namespace, name, uid, resourceVersion };
  const id = eventId({ word, observed, before }, options);
  return kubeEvent({ id, type, reason, message, involved, reporter, nowMs });
}

/** The Warning that says that a run's CloudEvent was given up. */
export function givenUpKubeEvent(event: OutgoingEvent, options: Omit<KubeEventsOptions, 'profile'>): Resource {
  const { namespace, name, kind, uid, resourceVersion } = event;
  const { resourceType, uuid5, reporter, nowMs } = options;
  const apiVersion = `${resourceType.group}/${resourceType.version}`;
  return kubeEvent({
    id: uuid5(`${event.id} gave-up`),
    type: 'Warning',
    reason: 'CloudEventGivenUp',
    message: `The CloudEvent ${event.type} with id ${event.id} was not taken by the sink in time and is given up`,
    involved: { apiVersion, kind, namespace, name, uid, resourceVersion },
    reporter,
    nowMs,
  });
}
