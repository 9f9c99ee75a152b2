import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { rows } from './rows/all.ts';
import { buildBundle } from './support/controller.ts';
import { plot } from './support/plot.ts';
import type { Curve } from './support/row.ts';
import { type Judged, judge, tableOf } from './support/table.ts';

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const usage = `Usage: npm run bench -- [--only NAME]... [--scale SHARE] [--repetitions N] [--plots]

Holds each budget of docs/performance.md against what is measured now; Linux only, 6 to 10 minutes.
--only         one bench: ${rows.map(({ name }) => name).join(', ')}; may be given more than once
--scale        share of the full size, 0.1 for a look; default 1
--repetitions  of floor and ours, by turns; default 3
--plots        writes the plots of docs/performance/ anew
Exit code 1 when a budget is missed.`;

const root = join(import.meta.dirname, '..');

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: [] },
      scale: { type: 'string', default: '1' },
      repetitions: { type: 'string', default: '3' },
      plots: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const wanted = rows.filter(({ name }) => values.only.length === 0 || values.only.includes(name));
  if (values.help || wanted.length === 0 || values.only.some((name) => !rows.some((row) => row.name === name))) {
    console.log(usage);
    return values.help ? 0 : 2;
  }
  buildBundle();
  const effort = { scale: Number(values.scale), repetitions: Number(values.repetitions) };
  const judged: Judged[] = [];
  const curves: Curve[] = [];
  for (const row of wanted) {
    process.stderr.write(`${row.name} ...\n`);
    const outcome = await row.run(effort);
    judged.push(...outcome.lines.map(judge));
    curves.push(...(outcome.curves ?? []));
  }
  console.log(`${tableOf(judged)}\n\n${notesOf(judged).join('\n')}`);
  save({
    machine: { node: process.version, cores: availableParallelism(), cpu: cpus()[0]?.model },
    effort,
    judged,
    curves,
  });
  if (values.plots) savePlots(curves);
  return judged.some(({ met }) => met === false) ? 1 : 0;
}

function notesOf(lines: readonly Judged[]): string[] {
  return lines.flatMap(({ what, note }) => (note === undefined ? [] : [`${what}: ${note}`]));
}

function save(result: object): void {
  mkdirSync(join(root, '.cache'), { recursive: true });
  writeFileSync(join(root, '.cache/bench.json'), `${JSON.stringify(result, undefined, 2)}\n`);
}

function savePlots(curves: readonly Curve[]): void {
  const folder = join(root, 'docs/performance');
  mkdirSync(folder, { recursive: true });
  for (const curve of curves) writeFileSync(join(folder, `${curve.name}.svg`), plot(curve));
}

process.exitCode = await main();
