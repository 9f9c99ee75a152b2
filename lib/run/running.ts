import type { Behaviour } from '../profile.ts';
import type { Run } from './run.ts';

/** What holds a running TaskRun back: a resource quota, or no node with room. */
type Throttle = 'quota' | 'node';

const throttleByReason = new Map<string, Throttle>([
  ['ExceededResourceQuota', 'quota'],
  ['ExceededNodeResources', 'node'],
]);

/** Whether the run counts as running: in progress, and not parked by its spec (where the profile cares). */
export function isRunning(run: Run | undefined, { parkedRunsRun }: Pick<Behaviour, 'parkedRunsRun'>): boolean {
  return run?.condition?.status === 'Unknown' && (parkedRunsRun || !run.parked);
}

/** What holds a running run back; undefined when nothing does. */
export function throttleOf(run: Run | undefined, behaviour: Pick<Behaviour, 'parkedRunsRun'>): Throttle | undefined {
  return isRunning(run, behaviour) ? throttleByReason.get(run?.condition?.reason ?? '') : undefined;
}
