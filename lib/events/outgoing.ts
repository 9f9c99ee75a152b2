import type { Kind } from '../run/kind.ts';
import type { EventWord } from '../run/step.ts';

/** A CloudEvent as it waits: everything a post needs, the body already encoded. */
export interface OutgoingEvent {
  /** UUID v5; the same for the same transition, whoever sends it and however often. */
  readonly id: string;
  /** `/apis/<group>/<version>/namespaces/<namespace>/<plural>/<name>`; events of one source go in order. */
  readonly source: string;
  /** For example `dev.svc.event.taskrun.started.v1`. */
  readonly type: string;
  /** The run's name. */
  readonly subject: string;
  /** The condition's transition time, ms since the epoch. */
  readonly timeMs: number;
  /** Extension `sequence`: the resourceVersion zero-padded to 20 digits, `.0`, `.1` within one step. */
  readonly sequence: string;
  /** Extension `synthesized`: told from a list after history was lost. */
  readonly synthesized: boolean;
  /** Extension `traceparent`; undefined when the run is not traced. */
  readonly traceparent: string | undefined;
  readonly word: EventWord;
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** JSON, UTF-8: one root key, the whole resource under it. */
  readonly body: Uint8Array;
}

/** What one attempt to post an event came to; expected outcomes are values. */
export type Attempt =
  | { readonly outcome: 'delivered'; readonly status: number }
  | {
      readonly outcome: 'failed';
      readonly result: '3xx' | '4xx' | '5xx' | 'timeout' | 'unreachable' | 'tls' | 'broken';
      /** One clause for the log: `answered 503`, `no answer within 30 s`. Never the URL. */
      readonly problem: string;
      /** What the sink asked for by `Retry-After`, ms; not yet capped. */
      readonly retryAfterMs: number | undefined;
    }
  /** Can never be sent, by anyone: drop it and say so. */
  | { readonly outcome: 'unencodable'; readonly problem: string };
