import { type FlipsResult, leftHandles, startFlips } from '../spec/support/flips.ts';

// A thousand random settings changes in a minute, under load: `npm run flips`, or `node bench/flips.ts SEED`.

const timedEdits = 50;
const seed = Number(process.argv[2] ?? 1);
// A flush may take 5 s, closing as long again. 500 edits before the first look: by then everything is loaded, compiled and filled.
const options = { edits: 1000, warmUpEdits: 500, editEveryMs: 60, runEveryMs: 20, restMs: 12_000, seed };

/** An operator waits no longer than this for an edit to hold. */
const holdsWithinMs = 2000;

function verdicts(
  { applied, runs, counted, told, faults, before, after }: FlipsResult,
  slowestEditMs: number,
): Record<string, boolean> {
  return {
    [`each of ${timedEdits} edits held within ${holdsWithinMs} ms`]: slowestEditMs <= holdsWithinMs,
    'at least 200 edits took effect one by one': applied >= 200,
    'every scrape answered as it should': faults.length === 0,
    'every run was counted once': counted === runs,
    'every event was told': told === 3 * runs,
    'the heap after a collection is within 5%': after.heapBytes <= before.heapBytes * 1.05,
    'no handle is left': leftHandles(before, after).length === 0,
  };
}

const flips = await startFlips();
const result = await flips.run(options);
const editMs = await flips.timeEdits(timedEdits);
const slowestEditMs = Math.round(editMs.at(-1) ?? 0);
const medianEditMs = Math.round(editMs[editMs.length >> 1] ?? 0);
await flips.close();
console.log(JSON.stringify({ seed, ...result, medianEditMs, slowestEditMs }, undefined, 2));
for (const [claim, holds] of Object.entries(verdicts(result, slowestEditMs))) {
  console.log(`${holds ? 'yes' : 'NO '} ${claim}`);
  if (!holds) process.exitCode = 1;
}
