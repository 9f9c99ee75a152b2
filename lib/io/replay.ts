import type { Attempt, OutgoingEvent } from '../events/outgoing.ts';

/** What became of one dead letter: `held`: an earlier one of its run was not taken, and order is kept. */
export type Replayed = 'taken' | 'refused' | 'held';

interface Options {
  readonly events: readonly OutgoingEvent[];
  readonly post: (event: OutgoingEvent) => Promise<Attempt>;
  /** Called once for each event. */
  readonly onReplayed: (event: OutgoingEvent, outcome: Replayed, attempt: Attempt | undefined) => void;
  /** Runs posted about at once; default 8. */
  readonly concurrency?: number;
}

/** Posts each event once: those of one source in the order of their sequences, sources side by side. */
export async function replay({ events, post, onReplayed, concurrency = 8 }: Options): Promise<void> {
  const sources = [...Map.groupBy(events, ({ source }) => source).values()];
  const worker = async () => {
    for (let source = sources.shift(); source !== undefined; source = sources.shift()) await replaySource(source);
  };

  const replaySource = async (ofSource: readonly OutgoingEvent[]) => {
    let held = false;
    for (const event of ofSource.toSorted((a, b) => (a.sequence < b.sequence ? -1 : 1))) {
      const attempt: Attempt | undefined = held ? undefined : await post(event);
      const taken: boolean = attempt?.outcome === 'delivered';
      onReplayed(event, taken ? 'taken' : held ? 'held' : 'refused', attempt);
      held = !taken;
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, sources.length) }, worker));
}
