import type { Log } from '../../log.ts';
import type { ExportResult, Signal } from './target.ts';

/**
 * Says how pushes go: one warning when they begin to fail, the same trouble again as debug, one line when it is over.
 *
 * A problem of another kind is news again.
 */
export function reportExports(signal: Signal, log: Log): (result: ExportResult) => void {
  let trouble: string | undefined;
  let failures = 0;
  return (result) => {
    if (result.ok) {
      if (trouble !== undefined) log.info({ signal, failures }, 'exports go through again');
      trouble = undefined;
      failures = 0;
      return;
    }
    failures += 1;
    const level = result.problem === trouble ? 'debug' : 'warn';
    trouble = result.problem;
    log[level]({ signal, problem: result.problem, failures }, 'an export failed; the next interval tries again');
  };
}
