import type { Behaviour } from '../profile.ts';
import { type Condition, isDone, sameCondition } from './condition.ts';
import type { Run } from './run.ts';
import type { EventWord } from './step.ts';
import { type Told, wasTold } from './told.ts';

interface Sight {
  /** What was known of the run before; undefined at first sight. */
  readonly before: Run | undefined;
  readonly after: Run;
  readonly told: Told;
}

/**
 * The event types that one observed version owes a sink, in order (interface document, sections 3 and 6.2).
 *
 * Only a change of the condition owes anything, but for a run without one: a CustomRun starts at its first
 * sight. Where two rows apply, docs/decisions/ says which won.
 */
export function owedEvents(sight: Sight, behaviour: Behaviour): readonly EventWord[] {
  return wordsOf(sight, behaviour).filter((word) => !toldOnce(word, behaviour) || !wasTold(sight.told, word));
}

function toldOnce(word: EventWord, { toldOnce }: Behaviour): boolean {
  return toldOnce === 'started' ? word === 'started' || word === 'queued' : word !== 'unknown';
}

function wordsOf(sight: Sight, behaviour: Behaviour): readonly EventWord[] {
  const { before, after } = sight;
  if (after.condition === undefined) return withoutCondition(sight, behaviour);
  if (before !== undefined && sameCondition(before.condition, after.condition)) return [];
  if (isDone(after.condition)) return [after.condition.status === 'True' ? 'successful' : 'failed'];
  if (behaviour.startedAt === 'reason-started') return [byReason(after, after.condition)];
  return after.kind === 'CustomRun' ? customRunWords(sight, after.condition) : underWay(sight, after.condition);
}

function withoutCondition({ before, after }: Sight, behaviour: Behaviour): readonly EventWord[] {
  if (before !== undefined) return [];
  if (after.kind === 'CustomRun') return ['started'];
  return behaviour.withoutCondition === 'queued' ? ['queued'] : [];
}

function customRunWords({ told }: Sight, condition: Condition): readonly EventWord[] {
  if (wasTold(told, 'started')) return ['running'];
  return condition.reason === 'Running' ? ['started', 'running'] : ['started'];
}

function underWay({ after, told }: Sight, condition: Condition): readonly EventWord[] {
  if (after.parked) return ['unknown'];
  const word = condition.reason === 'Running' ? 'running' : 'unknown';
  if (wasTold(told, 'started')) return [word];
  return condition.reason === 'Started' ? ['started'] : ['started', word];
}

function byReason({ kind }: Run, { reason }: Condition): EventWord {
  if (kind === 'CustomRun' || reason === 'Running') return 'running';
  return reason === 'Started' ? 'started' : 'unknown';
}
