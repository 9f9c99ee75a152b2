import { merge, Observable, take, timer } from 'rxjs';
import { Courier } from './courier.ts';
import type { DeliverOptions, Delivery, DeliveryNote } from './delivery.ts';

/**
 * Brings events to the sink: retried, in order per source, bounded; see lib/events/queue.ts for who goes when.
 *
 * An event that may go is posted in the same turn of the loop that brought it; a timer runs only while something waits
 * for its time.
 */
export function deliver(options: DeliverOptions): Delivery {
  const courier = new Courier(options);
  return {
    note$: new Observable<DeliveryNote>((subscriber) => courier.start(subscriber)),
    refresh: () => courier.publish(),
    state: () => courier.queue.state,
    drain: (graceMs) => drain(courier, graceMs),
  };
}

function drain(courier: Courier, graceMs: number): Observable<number> {
  return new Observable((subscriber) => {
    const end$ = merge(courier.idle$(), timer(graceMs, courier.scheduler)).pipe(take(1));
    return end$.subscribe(() => {
      subscriber.next(courier.abandon());
      subscriber.complete();
    });
  });
}
