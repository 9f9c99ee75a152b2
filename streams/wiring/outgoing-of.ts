import { outgoingEvents } from '../../lib/events/cloud-event.ts';
import { uuid5 } from '../../lib/io/uuid5.ts';
import type { Profile } from '../../lib/profile.ts';
import type { Observed } from '../../lib/run/run.ts';
import type { Effects } from '../controller.ts';

/** What makes a step's CloudEvents: source and ids by the profile and the resource as watched. */
export function outgoingOf(
  profile: Profile,
  traceparentOf: (observed: Observed) => string | undefined = () => undefined,
): Effects['outgoing'] {
  return (step) => {
    if (step.observed === undefined) return [];
    const { synthesized, observed } = step;
    const traceparent = traceparentOf(observed);
    return outgoingEvents(step, { profile, resourceType: observed.type, uuid5, synthesized, traceparent });
  };
}
