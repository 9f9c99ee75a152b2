/** Since when the values of a metric add up, by the instrument that holds them. */
export interface StartTimes {
  /** Ms since the epoch. */
  of(instrument: object): number;
  /** A reading of all instruments is over. */
  readAt(nowMs: number): void;
}

/**
 * Start times for cumulative values.
 *
 * Instruments of the first reading began with the process. One seen later replaced another (a level or type was
 * edited) and starts empty: it began after the reading before, so a receiver takes its lower values for a new start and
 * not for a fault. To be kept across exporters, so that a switch forgets nothing.
 */
export function createStartTimes(processStartMs: number): StartTimes {
  const starts = new WeakMap<object, number>();
  let lastReadMs = processStartMs;
  return {
    of(instrument) {
      const known = starts.get(instrument);
      if (known !== undefined) return known;
      starts.set(instrument, lastReadMs);
      return lastReadMs;
    },
    readAt(nowMs) {
      lastReadMs = nowMs;
    },
  };
}
