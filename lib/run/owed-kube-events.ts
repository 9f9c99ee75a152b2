import type { Behaviour } from '../profile.ts';
import type { Condition } from './condition.ts';
import type { Run } from './run.ts';
import type { EventWord, OwedKubeEvent } from './step.ts';

/** Section 6.1's reasons by event type. `running` is a PipelineRun's alone, and only when its reason becomes Running. */
const reasons: Partial<Readonly<Record<EventWord, string>>> = {
  started: 'Started',
  running: 'Running',
  successful: 'Succeeded',
  failed: 'Failed',
};

/**
 * The Kubernetes Events that go with the event types of one step (interface document, section 6.1).
 *
 * TaskRuns and PipelineRuns only: section 6.1 names no reason for CustomRuns.
 */
export function owedKubeEvents(
  { before, after, words }: { before: Run | undefined; after: Run; words: readonly EventWord[] },
  behaviour: Behaviour,
): readonly OwedKubeEvent[] {
  const { kind, condition } = after;
  if (kind === 'CustomRun' || condition === undefined) return [];
  return words.flatMap((word) => {
    const reason = behaviour.kubeEventReasons === 'condition' ? condition.reason : reasons[word];
    if (reason === undefined || (word === 'running' && !beginsToRun(before, after))) return [];
    return [{ type: typeOf(condition), reason, message: word === 'started' ? '' : condition.message, word }];
  });
}

function typeOf({ status }: Condition): OwedKubeEvent['type'] {
  return status === 'False' ? 'Warning' : 'Normal';
}

function beginsToRun(before: Run | undefined, { kind }: Run): boolean {
  const ranBefore = before?.condition?.status === 'Unknown' && before.condition.reason === 'Running';
  return kind === 'PipelineRun' && !ranBefore;
}
