import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir } from '../../scripts/cluster/tools.ts';
import { runCommand } from './run-command.ts';

/** Where `.ci/run` unpacks the Debian package `prometheus` on a machine that lacks it. */
const unpacked = join(cacheDir, 'prometheus/usr/bin/promtool');

/**
 * What Prometheus' own linter has against a scrape, one line each; empty when it has nothing.
 *
 * Needs `promtool`, from `.cache/cluster` or in PATH; rejects with a sentence when there is none.
 */
export async function promtoolProblems(scrape: string): Promise<readonly string[]> {
  const promtool = existsSync(unpacked) ? unpacked : 'promtool';
  const { code, stdout, stderr } = await runCommand(promtool, ['check', 'metrics'], { input: scrape });
  const problems = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
  return code === 0 || problems.length > 0 ? problems : [`promtool: expected exit code 0, got ${code}`];
}
