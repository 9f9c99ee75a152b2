import type { OutboxState } from '../../outbox/outbox.ts';
import type { EventRecord, ToldRecord } from '../../outbox/records.ts';

/** What the worker is started with. */
export interface OutboxWorkerData {
  readonly role: 'outbox';
  readonly dir: string;
  /** Most that the database may take; undefined: what the disk has. */
  readonly limitBytes: number | undefined;
  /** Most that the dead letters may take. */
  readonly deadLetterLimitBytes: number;
}

/** One transaction, in a form that crosses to the worker without its bodies being copied once more. */
export interface WriteAsk {
  readonly type: 'write';
  readonly events: readonly EventRecord[];
  /** The bodies of `events`, one behind the other. */
  readonly bodies: Uint8Array;
  readonly removals: readonly string[];
  readonly told: readonly ToldRecord[];
  readonly forgotten: readonly string[];
  readonly forgetTold: boolean;
  readonly letters: readonly string[];
  readonly marks: readonly (readonly [watch: string, version: string])[];
  readonly complete: readonly string[];
}

export type Ask =
  | WriteAsk
  | { readonly type: 'open' }
  /** Rows behind `after`, a page of them. */
  | { readonly type: 'events' | 'told'; readonly after: number }
  | { readonly type: 'close' };

/** How many letters found no room in the file. */
export interface LettersWritten {
  readonly refused: number;
}

export type Opened =
  /** `movedAside`: what stood there before could not be read; where it is now. */
  | { readonly ok: true; readonly state: OutboxState; readonly movedAside: string | undefined }
  | { readonly ok: false; readonly refusal: string };

/** `letters`: what became of them, or the problem that kept them from being written. */
export type Written =
  | { readonly ok: true; readonly letters: LettersWritten | string }
  | {
      readonly ok: false;
      readonly cause: 'full' | 'corrupt' | 'failed';
      readonly problem: string;
      /** At least the removals are done. */
      readonly removed: boolean;
      readonly letters: LettersWritten | string;
    };

/** A page of rows; `last` is what to ask for the next one after, undefined on the last page. */
export interface EventPage {
  readonly rows: readonly EventRecord[];
  readonly bodies: Uint8Array;
  readonly last: number | undefined;
}

export interface ToldPage {
  readonly rows: readonly ToldRecord[];
  readonly last: number | undefined;
}
