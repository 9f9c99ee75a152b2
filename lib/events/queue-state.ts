/** How the delivery queue stands at one moment. */
export interface QueueState {
  readonly length: number;
  readonly bytes: number;
  readonly inFlight: number;
  /** Events that wait after at least one failed attempt. */
  readonly failing: number;
  readonly circuitOpen: boolean;
  /** When the oldest was put; undefined when none waits. */
  readonly oldestPutAtMs: number | undefined;
}
