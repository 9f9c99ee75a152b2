/** What a world is asked to do, one order at a time. */
export type Asked =
  /** So many executing runs are in the list from now on. */
  | { readonly do: 'list'; readonly runs: number }
  | { readonly do: 'settings'; readonly map: string; readonly data: Readonly<Record<string, string>> }
  /** Answers once somebody watches TaskRuns. */
  | { readonly do: 'watched' }
  /** Answers once the last line is written: runs `from` on, each through these stages, a thousand at a time. */
  | {
      readonly do: 'stream';
      readonly from: number;
      readonly runs: number;
      readonly stages: readonly (number | 'deleted')[];
      /** Default: as fast as it is read. */
      readonly perSecond?: number;
    }
  /** How long the sink takes to answer. */
  | { readonly do: 'sink'; readonly delayMs: number }
  /** How many events the sink has taken. */
  | { readonly do: 'posts' };

export interface Told {
  readonly url?: string;
  readonly posts?: number;
}

/** An order under its number; its answer carries the same. */
export interface Order {
  readonly id: number;
  readonly asked: Asked;
}

/** Whether a message between processes is an order. */
export function isOrder(message: unknown): message is Order {
  return typeof message === 'object' && message !== null && 'id' in message && 'asked' in message;
}
