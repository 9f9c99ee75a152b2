import type { Attempt } from '../../lib/events/outgoing.ts';

/** Takes what a post came to; undefined when the line ended before. */
type Settle = (attempt: Attempt | undefined) => void;

/** One sink URL for as long as events go there, and a way to break off what is in flight to it. */
export class SinkLine {
  readonly url: string;
  readonly #controller = new AbortController();
  readonly #underWay = new Set<Settle>();

  constructor(url: string) {
    this.url = url;
  }

  /** What posts over this line are given to be broken off by. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Gives what to settle a post with; the first call counts, and the end of the line is one. */
  expect(settled: Settle): Settle {
    const settle: Settle = (attempt) => {
      if (this.#underWay.delete(settle)) settled(attempt);
    };
    this.#underWay.add(settle);
    return settle;
  }

  /** Nobody waits for this one any more. */
  forget(settle: Settle): void {
    this.#underWay.delete(settle);
  }

  /** Breaks off every post. */
  end(): void {
    // In this order: the posts that the signal ends must find nobody listening.
    for (const settle of [...this.#underWay]) settle(undefined);
    this.#controller.abort();
  }
}
