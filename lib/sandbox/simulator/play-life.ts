import { type Beat, cancelledCondition, type Life } from './lives.ts';
import type { TaskState } from './pipelines.ts';
import type { Actor, Stage } from './stage.ts';

const outcomes = { True: 'succeeded', False: 'failed', Unknown: 'cancelled' } as const;

/**
 * Plays a TaskRun's or CustomRun's life to its end and calls back with what it came to. A run that somebody
 * cancels ends cancelled at its next beat; one that somebody deletes ends as cancelled without a word.
 */
export function playLife(stage: Stage, actor: Actor, life: Life, onEnd: (state: TaskState) => void): void {
  const step = (index: number): void => {
    const beat = life.beats[index];
    stage.later(beat?.afterMs ?? 300, () => {
      const asked = stage.asked(actor);
      if (asked.endsWith('Cancelled')) stage.tell(actor, cancelledCondition(actor.kind));
      if (asked.endsWith('Cancelled') || beat === undefined || stage.present(actor) === undefined) {
        onEnd('cancelled');
        return;
      }
      const state = perform(stage, actor, beat);
      if (state === undefined) step(index + 1);
      else onEnd(state);
    });
  };
  step(0);
}

function perform(stage: Stage, actor: Actor, beat: Beat): TaskState | undefined {
  if ('spec' in beat) {
    stage.ask(actor, beat.spec);
    return undefined;
  }
  stage.tell(actor, beat.condition);
  return beat.condition.status === 'Unknown' ? undefined : outcomes[beat.condition.status];
}
