import type { Batch } from './batch.ts';
import type { OutboxState } from './outbox.ts';

/** How far the data dir goes once a batch is committed. */
export function stateAfter(state: OutboxState, { forgetTold, marks, complete }: Batch): OutboxState {
  const before = forgetTold ? { ...state, marks: {}, complete: [] } : state;
  return {
    id: state.id,
    marks: { ...before.marks, ...Object.fromEntries(marks) },
    complete: [...new Set([...before.complete, ...complete])],
  };
}
