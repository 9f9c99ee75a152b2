import type { Observed } from '../run/run.ts';
import { placeOf } from './place-of.ts';
import { formatTraceparent } from './span-context.ts';
import type { TraceMemory } from './trace-memory.ts';
import type { TraceOptions } from './trace-options.ts';

/**
 * The `traceparent` of the run's own span, for events about the run; undefined when its trace is not kept.
 *
 * The span itself is sent at the run's end; its id is known from the beginning.
 */
export function traceparentOf(
  observed: Observed,
  memory: Pick<TraceMemory, 'traceOf'>,
  options: TraceOptions,
): string | undefined {
  const place = placeOf(observed, memory, options);
  return place.sampled ? formatTraceparent(place) : undefined;
}
