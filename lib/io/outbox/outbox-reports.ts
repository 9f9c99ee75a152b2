import type { Log } from '../../log.ts';
import type { Measure } from '../../metrics/own.ts';

/** What an outbox says of itself. */
export interface OutboxReports {
  /** How many tries in a row have failed. */
  readonly failures: number;
  failed(error: unknown): void;
  written(): void;
  toldGivenUp(): void;
  letters(kept: number, refused: number): void;
  movedAside(file: string): void;
}

/** Says each trouble once until it is over, and counts it every time. */
export function outboxReports({ log, measure }: { readonly log: Log; readonly measure: Measure }): OutboxReports {
  let failures = 0;
  let lettersRefused = false;
  return {
    get failures() {
      return failures;
    },
    failed: (error) => {
      measure.count('outbox_write_failures_total');
      failures += 1;
      const problem = error instanceof Error ? error.message : String(error);
      log[failures === 1 ? 'error' : 'debug']({ problem }, 'the data dir cannot be written, events stay in memory');
    },
    written: () => {
      if (failures > 0) log.info({}, 'the data dir can be written again');
      failures = 0;
    },
    toldGivenUp: () => {
      measure.count('outbox_told_given_up_total');
      log.warn({}, 'what was told is given up: too many runs wait for the data dir');
    },
    letters: (kept, refused) => {
      if (kept > 0) measure.count('dead_letters_total', { outcome: 'kept' }, kept);
      if (refused === 0) return;
      measure.count('dead_letters_total', { outcome: 'refused' }, refused);
      log[lettersRefused ? 'debug' : 'warn']({ refused }, 'the dead letters are full, dropped events are not kept');
      lettersRefused = true;
    },
    movedAside: (movedAside) =>
      log.error({ movedAside }, 'the data dir was corrupt: it is moved aside, and what it held is lost'),
  };
}
