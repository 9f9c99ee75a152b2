import { field } from './fields.ts';
import type { Outline } from './outline.ts';
import type { Observed } from './run.ts';

/** When a run was created, began and ended, as its object says it: `timeMs` reads them. */
type Times = Pick<Outline, 'creationTimestamp' | 'startTime' | 'completionTime'>;

/** The times of a run. The whole object is parsed for them only where it has no outline. */
export function timesOf(observed: Pick<Observed, 'outline' | 'resource'>): Times {
  const { outline } = observed;
  if (outline !== undefined) return outline;
  const { metadata, status } = observed.resource;
  return {
    creationTimestamp: field(metadata, 'creationTimestamp'),
    startTime: field(status, 'startTime'),
    completionTime: field(status, 'completionTime'),
  };
}
