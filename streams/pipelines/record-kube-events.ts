import { ignoreElements, type Observable, tap } from 'rxjs';
import { type KubeEventsOptions, kubeEventsOf } from '../../lib/events/kube-event.ts';
import type { Resource } from '../../lib/run/run.ts';
import type { Step } from '../../lib/run/step.ts';

interface RecordOptions extends Omit<KubeEventsOptions, 'nowMs' | 'resourceType'> {
  /** Queues one Event to be written; bounded and counted there. */
  readonly record: (event: Resource) => unknown;
  readonly now: () => number;
}

/**
 * Hands every Kubernetes Event that the steps owe to `record`, in order. Emits nothing; ends and errors as the steps do.
 *
 * Independent of the sink: `kubectl describe` tells the story whether or not CloudEvents are sent.
 */
export function recordKubeEvents(
  step$: Observable<Step>,
  { record, now, ...options }: RecordOptions,
): Observable<never> {
  return step$.pipe(
    tap((step) => {
      const resourceType = step.observed?.type;
      if (resourceType === undefined || step.kubeEvents.length === 0) return;
      for (const event of kubeEventsOf(step, { ...options, resourceType, nowMs: now() })) record(event);
    }),
    ignoreElements(),
  );
}
