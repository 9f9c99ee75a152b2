import { ignoreElements, type Observable, tap } from 'rxjs';
import { type KubeEventsOptions, kubeEventOf } from '../../lib/events/kube-event.ts';
import type { Resource } from '../../lib/run/run.ts';
import type { Step } from '../../lib/run/step.ts';

interface RecordOptions extends Omit<KubeEventsOptions, 'nowMs' | 'resourceType'> {
  /** Writes an Event about the object of this uid, made only if there is room for it; bounded and counted there. */
  readonly record: (uid: string, make: () => Resource) => unknown;
  readonly now: () => number;
}

/**
 * Offers every Kubernetes Event that the steps owe to `record`, in order. Emits nothing; ends and errors as the steps do.
 *
 * Independent of the sink: `kubectl describe` tells the story whether or not CloudEvents are sent.
 */
export function recordKubeEvents(
  step$: Observable<Step>,
  { record, now, ...options }: RecordOptions,
): Observable<never> {
  return step$.pipe(
    tap(({ observed, before, kubeEvents }) => {
      if (observed === undefined) return;
      const { type: resourceType, run } = observed;
      for (const owed of kubeEvents) {
        const make = () => kubeEventOf(owed, { observed, before }, { ...options, resourceType, nowMs: now() });
        record(run.uid, make);
      }
    }),
    ignoreElements(),
  );
}
