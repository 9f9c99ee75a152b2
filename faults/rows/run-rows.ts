import type { Row } from '../row.ts';
import { createRun, type RunScript } from '../run-script.ts';
import { sinkDown } from '../sink-down.ts';
import type { Stage } from '../stage.ts';

/** What those who make and execute runs do. */
export const runRows: readonly Row[] = [
  {
    name: '10,000 runs finish in 2 s',
    servers: ['sandbox'],
    seconds: 2,
    harm: async (stage) => {
      const scripts = await manyRuns(stage, 10_000);
      await stage.wait(1);
      const startMs = performance.now();
      for (const [index, script] of scripts.entries()) {
        await script.finish();
        const dueMs = startMs + (index / scripts.length) * stage.seconds * 1000;
        if (index % 50 === 0 && dueMs > performance.now()) await stage.wait((dueMs - performance.now()) / 1000);
      }
      const seconds = (performance.now() - startMs) / 1000;
      stage.remarks.push({ name: 'written within', value: `${seconds.toFixed(1)} s`, good: true });
    },
  },
  {
    name: 'runs deleted right after their last write',
    seconds: 3,
    afterwards: 'delete',
    harm: sinkDown,
  },
  {
    name: 'runs deleted and made again while their last event waits',
    seconds: 5,
    runs: 150,
    afterwards: 'make-again',
    harm: sinkDown,
  },
];

async function manyRuns(stage: Stage, count: number): Promise<RunScript[]> {
  const scripts: RunScript[] = [];
  for (let number = 0; number < count; number += 1) {
    scripts.push(await createRun(stage, `many-${String(number).padStart(5, '0')}`, number));
    if (number % 100 === 0) await stage.wait(0);
  }
  return scripts;
}
