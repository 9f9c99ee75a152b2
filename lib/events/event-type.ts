import type { Profile } from '../profile.ts';
import { type Kind, kinds } from '../run/kind.ts';
import type { EventWord } from '../run/step.ts';

/** What the type of a CloudEvent is made of. */
interface EventTypeOf {
  readonly kind: Kind;
  readonly word: EventWord;
}

/** The words that each kind is told with (interface document, section 6.2). */
const words: Readonly<Record<Kind, readonly EventWord[]>> = {
  TaskRun: ['started', 'running', 'unknown', 'successful', 'failed'],
  PipelineRun: ['started', 'running', 'unknown', 'successful', 'failed'],
  CustomRun: ['started', 'running', 'successful', 'failed'],
};

/** The fourteen kinds of news of section 6.2, in its order. */
export const interfaceEvents: readonly EventTypeOf[] = kinds.flatMap((kind) =>
  words[kind].map((word) => ({ kind, word })),
);

/** The `Ce-Type` of a kind's news under a profile: `dev.svc.event.taskrun.started.v1`. */
export function eventType({ eventTypePrefix, eventWords }: Profile, { kind, word }: EventTypeOf): string {
  return `${eventTypePrefix}${eventWords[kind]}.${word}.v1`;
}
