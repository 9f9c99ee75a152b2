import type { Attempt, OutgoingEvent } from '../../lib/events/outgoing.ts';
import type { QueueState } from '../../lib/events/queue-state.ts';
import type { Log } from '../../lib/log.ts';
import type { DropCause } from '../../lib/metrics/own.ts';

/** What delivery says in the log. */
export interface DeliveryLog {
  /** One attempt was settled; `before` and `after` are the queue around it. */
  attempted(event: OutgoingEvent, attempt: Attempt, before: QueueState, after: QueueState): void;
  dropped(event: OutgoingEvent, cause: DropCause): void;
  removed(count: number): void;
  leftAtShutdown(count: number): void;
  /** Another sink: its troubles are its own. */
  startOver(): void;
}

/**
 * A log that warns of each kind of trouble once until the sink has recovered, and then says how many waited.
 *
 * Recovered: the circuit closed, or nothing waits any more that had failed. One event that the sink never takes is
 * thus one warning, not one for each attempt.
 */
export function deliveryLog(log: Log): DeliveryLog {
  let warned = new Set<string>();
  let fullSaid = false;

  const failed = (fields: Readonly<Record<string, unknown>>, kind: string) => {
    const say = warned.has(kind) ? 'debug' : 'warn';
    warned.add(kind);
    log[say](fields, 'the sink did not take an event');
  };
  return {
    attempted(event, attempt, before, after) {
      if (attempt.outcome === 'failed') {
        failed({ ...naming(event), problem: attempt.problem, waiting: after.length }, attempt.result);
      }
      if (after.length === 0) fullSaid = false;
      const recovered = after.failing === 0 || (before.circuitOpen && !after.circuitOpen);
      if (attempt.outcome !== 'delivered' || warned.size === 0 || !recovered) return;
      warned = new Set();
      log.info({ waited: before.length }, 'the sink takes events again');
    },
    dropped(event, cause) {
      if (cause === 'gave-up' || cause === 'unencodable') log.warn({ ...naming(event), cause }, 'an event was dropped');
      if (cause !== 'queue-full') return;
      log[fullSaid ? 'debug' : 'warn']({ ...naming(event), cause }, 'the event queue is full and drops events');
      fullSaid = true;
    },
    removed: (count) => log.info({ dropped: count }, 'no sink is configured: events are not sent'),
    leftAtShutdown: (count) => log.warn({ left: count }, 'events are left unsent at shutdown'),
    startOver: () => {
      warned = new Set();
    },
  };
}

function naming({ id, type, source }: OutgoingEvent) {
  return { id, type, source };
}
