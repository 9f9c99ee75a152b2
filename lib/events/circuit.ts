import { backoffDelay } from '../backoff.ts';
import type { DeliveryLimits } from './limits.ts';

type CircuitLimits = Pick<DeliveryLimits, 'probeBackoff' | 'minProbeGapMs' | 'maxInFlight'>;

interface Failure<Source, Node> {
  readonly source: Source;
  readonly node: Node;
  /** Failed before while the sink took other events: says more about the event than about the sink. */
  readonly suspect: boolean;
  readonly nowMs: number;
  /** Already capped; undefined where the sink asked for nothing. */
  readonly retryAfterMs: number | undefined;
}

/** Failures in a row, of at least two sources, that open the circuit even if each event is a suspect. */
const failuresInARow = 20;

/**
 * Whether the sink as a whole fails, judged by failures of different sources since the last 2xx.
 *
 * One event that the sink never takes does not open it, however often it fails. While open, one probe at a time may
 * go, at times that grow apart; any 2xx closes it, and the number in flight then grows by one with each 2xx.
 */
export class Circuit<Source, Node> {
  readonly #limits: CircuitLimits;
  readonly #random: () => number;
  #failing = new Map<Source, Node>();
  #fresh = new Set<Source>();
  #inARow = 0;
  #open = false;
  #probes = 0;
  #spacedUntilMs = 0;
  #heldUntilMs = Number.POSITIVE_INFINITY;
  #inFlightLimit: number;
  #deliveries = 0;

  constructor(limits: CircuitLimits, random: () => number) {
    this.#limits = limits;
    this.#random = random;
    this.#inFlightLimit = limits.maxInFlight;
  }

  get open(): boolean {
    return this.#open;
  }

  /** Posts that may be under way while the circuit is closed. */
  get inFlightLimit(): number {
    return this.#inFlightLimit;
  }

  /** How many 2xx came so far: a post that began before the last of them says nothing about the sink as it is now. */
  get deliveries(): number {
    return this.#deliveries;
  }

  /** When the next probe may go; means something only while open. */
  get probeAtMs(): number {
    return Number.isFinite(this.#heldUntilMs) ? Math.max(this.#spacedUntilMs, this.#heldUntilMs) : this.#spacedUntilMs;
  }

  /** A probe goes out: what the sink asked for before has been honoured. */
  probing(): void {
    this.#heldUntilMs = Number.POSITIVE_INFINITY;
  }

  /** One attempt failed; `probe` when it was the probe. */
  failed({ source, node, suspect, nowMs, retryAfterMs }: Failure<Source, Node>, probe: boolean): void {
    this.#failing.set(source, node);
    if (!suspect) this.#fresh.add(source);
    this.#inARow += 1;
    // The least of what was asked: an hour asked for one event must not silence the others.
    this.#heldUntilMs = Math.min(this.#heldUntilMs, nowMs + (retryAfterMs ?? 0));
    const opens = !this.#open && this.#sinkFails();
    this.#open ||= opens;
    if (opens || probe) this.#space(nowMs);
  }

  /** One attempt got a 2xx. Gives what had failed since the 2xx before, and whether this one closed the circuit. */
  delivered(inFlight: number): { readonly closed: boolean; readonly failing: ReadonlyMap<Source, Node> } {
    const result = { closed: this.#open, failing: this.#failing };
    this.#deliveries += 1;
    const { maxInFlight } = this.#limits;
    this.#inFlightLimit = Math.min(maxInFlight, (this.#open ? inFlight : this.#inFlightLimit) + 1);
    this.#clear();
    return result;
  }

  /** The source has nothing waiting any more. */
  forget(source: Source): void {
    this.#failing.delete(source);
    this.#fresh.delete(source);
  }

  /** Another sink: nothing is known of it. */
  reset(): void {
    this.#inFlightLimit = this.#limits.maxInFlight;
    this.#clear();
  }

  #sinkFails(): boolean {
    return this.#fresh.size >= 2 || (this.#inARow >= failuresInARow && this.#failing.size >= 2);
  }

  #space(nowMs: number): void {
    const { probeBackoff, minProbeGapMs } = this.#limits;
    this.#probes += 1;
    const delayMs = backoffDelay({ ...probeBackoff, resetAfterMs: 0 }, this.#probes, this.#random());
    this.#spacedUntilMs = nowMs + Math.max(minProbeGapMs, Math.ceil(delayMs));
  }

  #clear(): void {
    if (this.#failing.size > 0) this.#failing = new Map();
    if (this.#fresh.size > 0) this.#fresh = new Set();
    this.#inARow = 0;
    this.#open = false;
    this.#probes = 0;
    this.#heldUntilMs = Number.POSITIVE_INFINITY;
  }
}
