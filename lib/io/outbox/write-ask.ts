import type { Batch } from '../../outbox/batch.ts';
import { eventRecord, type ToldRecord } from '../../outbox/records.ts';
import type { WriteAsk } from './messages.ts';

/** A batch as the worker takes it; its bodies are copied once and then handed over. */
export function writeAsk({ events, told, letters, ...batch }: Batch): WriteAsk & { readonly transfer: ArrayBuffer[] } {
  const kept = [...events.values()];
  const bytes = kept.reduce((sum, { event }) => sum + event.body.byteLength, 0);
  const buffer = new ArrayBuffer(bytes);
  const bodies = new Uint8Array(buffer);
  let offset = 0;
  for (const { event } of kept) {
    bodies.set(event.body, offset);
    offset += event.body.byteLength;
  }
  return {
    type: 'write',
    events: kept.map(eventRecord),
    bodies,
    removals: [...batch.removals],
    told: [...told.values()].filter((record): record is ToldRecord => record !== undefined),
    forgotten: [...told].filter(([, record]) => record === undefined).map(([uid]) => uid),
    forgetTold: batch.forgetTold,
    letters: letters.map(({ line }) => line),
    marks: [...batch.marks],
    complete: [...batch.complete],
    transfer: [buffer],
  };
}
