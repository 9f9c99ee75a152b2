import type { DeliveryLimits } from '../../lib/events/limits.ts';
import type { QueueState } from '../../lib/events/queue-state.ts';
import type { Measure } from '../../lib/metrics/own.ts';

type Gauge = Parameters<Measure['set']>[0];

/** Gives a function that writes the gauges of the queue, each only when its value has changed. */
export function deliveryGauges(
  measure: Measure,
  limits: DeliveryLimits,
): (state: QueueState, sinkConfigured: boolean, nowMs: number) => void {
  const written = new Map<Gauge, number>();
  const set = (name: Gauge, value: number) => {
    if (written.get(name) === value) return;
    written.set(name, value);
    measure.set(name, value);
  };
  set('event_queue_limit', limits.maxEvents);
  set('event_queue_limit_bytes', limits.maxBytes);
  return (state, sinkConfigured, nowMs) => {
    set('event_queue_length', state.length);
    set('event_queue_bytes', state.bytes);
    set('event_deliveries_in_flight', state.inFlight);
    set('event_sink_circuit_open', state.circuitOpen ? 1 : 0);
    set('event_sink_configured', sinkConfigured ? 1 : 0);
    set('event_oldest_unsent_seconds', Math.max(0, nowMs - (state.oldestPutAtMs ?? nowMs)) / 1000);
  };
}
