import { type OperatorFunction, scan } from 'rxjs';
import { type Context, type InForce, nextInForce, type Reading } from '../../config/in-force.ts';
import type { MapName } from '../../config/settings.ts';

interface Options<M extends MapName> extends Omit<Context<M>, 'nowMs'> {
  /** Wall time, ms since the epoch. */
  readonly now: () => number;
}

/**
 * Turns the readings of one config map into the values in force: a bad edit leaves them as they are.
 *
 * One value out for each reading in; it says what is to be told, so that effects can follow in one place.
 */
export function keepLastGood<M extends MapName>({
  now,
  ...context
}: Options<M>): OperatorFunction<Reading, InForce<M>> {
  const next = (before: InForce<M> | undefined, reading: Reading) =>
    nextInForce(before, reading, { ...context, nowMs: now() });
  return (reading$) => reading$.pipe(scan<Reading, InForce<M>, undefined>(next, undefined));
}
