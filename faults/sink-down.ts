import type { Stage } from './stage.ts';

/** Nobody listens at the sink's port while the fault lasts. */
export async function sinkDown({ sink, wait, seconds }: Stage): Promise<void> {
  await sink.close();
  await wait(seconds);
  await sink.reopen('same');
}
