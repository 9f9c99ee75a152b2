import { durationText } from '../formats/duration.ts';
import { optionRows } from './option-rows.ts';
import type { OptionValues } from './run-options.ts';

/** Pairs of which the first must stay below the second, or at most reach it. */
const orders = [
  { less: 'leaseRetryMs', more: 'leaseRenewDeadlineMs', orEqual: false },
  { less: 'leaseRenewDeadlineMs', more: 'leaseDurationMs', orEqual: false },
  { less: 'sinkBackoffInitialMs', more: 'sinkBackoffMaxMs', orEqual: true },
] as const;

/** One sentence about the first pair of options that contradict each other, or undefined. */
export function wrongOrder(values: Pick<OptionValues, (typeof orders)[number]['less' | 'more']>): string | undefined {
  for (const { less, more, orEqual } of orders) {
    const [low, high] = [values[less], values[more]];
    if (low < high || (orEqual && low === high)) continue;
    const [a, b] = [optionRows[less].key, optionRows[more].key];
    return `--${a}: expected ${orEqual ? 'at most' : 'less than'} --${b} (${durationText(high)}), got ${durationText(low)}`;
  }
  return undefined;
}
