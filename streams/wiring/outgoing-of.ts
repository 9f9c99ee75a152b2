import { outgoingEvents } from '../../lib/events/cloud-event.ts';
import { uuid5 } from '../../lib/io/uuid5.ts';
import type { Profile } from '../../lib/profile.ts';
import type { Effects } from '../controller.ts';

/** What makes a step's CloudEvents: source and ids by the profile and the resource as watched. */
export function outgoingOf(profile: Profile): Effects['outgoing'] {
  return (step) => {
    if (step.observed === undefined) return [];
    const { synthesized, observed } = step;
    return outgoingEvents(step, { profile, resourceType: observed.type, uuid5, synthesized });
  };
}
