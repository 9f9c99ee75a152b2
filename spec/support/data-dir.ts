import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openOutbox } from '../../lib/io/outbox/open-outbox.ts';
import type { OutboxOptions } from '../../lib/io/outbox/outbox-options.ts';
import type { Outbox } from '../../lib/outbox/outbox.ts';
import { recordedLog } from './recorded-log.ts';
import { recordedMeasure } from './recorded-measure.ts';

/** A data dir that goes away after each spec, and the outboxes that were opened on it. */
export function dataDirPerSpec() {
  const at = { dir: '', log: recordedLog(), measure: recordedMeasure() };
  const opened: Outbox[] = [];
  beforeEach(() => {
    at.dir = mkdtempSync(join(tmpdir(), 'data-dir-'));
    at.log = recordedLog();
    at.measure = recordedMeasure();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((outbox) => outbox.close()));
    rmSync(at.dir, { recursive: true, force: true });
  });
  const open = async (more: Partial<OutboxOptions> = {}) => {
    const { dir, log, measure } = at;
    const outbox = await openOutbox({ dir, log, measure, now: () => 1000, ...more });
    opened.push(outbox);
    return outbox;
  };
  /** The sentence of a refusal. */
  const refusal = (more: Partial<OutboxOptions> = {}) =>
    open(more).then(
      () => 'opened',
      (error: Error) => error.message,
    );
  const sentences = () => at.log.lines.map(({ level, sentence }) => `${level}: ${sentence}`);
  return { at, open, refusal, sentences };
}
