import { sameCondition } from '../run/condition.ts';
import type { Known } from '../run/observe.ts';

/** Whether what is known of a run says more than what was: only then is its row written again. */
export function worthKeeping(before: Known | undefined, after: Known): boolean {
  return (
    before === undefined ||
    before.told !== after.told ||
    before.counted !== after.counted ||
    before.run.parked !== after.run.parked ||
    !sameCondition(before.run.condition, after.run.condition)
  );
}
