/** The states of a run: `True` succeeded, `False` failed, `Unknown` still in progress. */
export const conditionStatuses = ['True', 'False', 'Unknown'] as const;

export type ConditionStatus = (typeof conditionStatuses)[number];

/** A run's `Succeeded` condition, as far as this controller reacts to it. */
export interface Condition {
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  /** When the status last changed, ms since the epoch; undefined where the object carries none or an unreadable one. */
  readonly transitionTimeMs: number | undefined;
}

/**
 * Whether two snapshots of a run tell the same story.
 *
 * Only state, reason and message count (interface document, section 6.2, rule 1): a rewrite of
 * `lastTransitionTime` alone is not news.
 */
export function sameCondition(a: Condition | undefined, b: Condition | undefined): boolean {
  return a?.status === b?.status && a?.reason === b?.reason && a?.message === b?.message;
}

/** Whether the run is over: succeeded or failed. */
export function isDone(condition: Condition | undefined): boolean {
  return condition?.status === 'True' || condition?.status === 'False';
}
