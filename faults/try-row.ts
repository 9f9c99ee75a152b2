import { setTimeout as wait } from 'node:timers/promises';
import type { LogLine } from '../spec/support/controller-process.ts';
import { busiestSecond, isClean, judge, type Verdict } from './judge.ts';
import type { Row } from './row.ts';
import type { FaultServer } from './servers/fault-server.ts';
import { setStage } from './set-stage.ts';
import type { Remark, Stage } from './stage.ts';

/** What became of one row. */
export interface RowResult {
  readonly name: string;
  readonly server: string;
  /** Why it was not tried. */
  readonly skipped?: string;
  readonly verdict?: Verdict;
  readonly remarks: readonly Remark[];
  readonly good: boolean;
}

interface TryOptions {
  /** Instead of the row's own. */
  readonly seconds?: number | undefined;
  readonly runs?: number | undefined;
  /** Default 100. */
  readonly writesPerSecond?: number;
  /** Gets the log of each controller at the end. */
  readonly onLog?: (lines: readonly LogLine[]) => void;
  /**
   * Once the fault is over, what is owed is waited for until none of it has come for so long, s. Default 150: a watch
   * that an overworked API server has let fall silent is opened again after 90.
   */
  readonly settleSeconds?: number;
}

/** Requests that a sink may get in a second while it answers only errors. */
const politeLimit = 10;

/** Sets the stage, does the harm, waits until everything was told or will not be, and judges. */
export async function tryRow(row: Row, server: FaultServer, options: TryOptions = {}): Promise<RowResult> {
  const skipped = skipOf(row, server);
  const named = { name: row.name, server: server.name };
  if (skipped !== undefined) return { ...named, skipped, remarks: [], good: true };
  const { writesPerSecond = 100, settleSeconds = 150, seconds = row.seconds, runs = row.runs ?? 300 } = options;
  const stage = await setStage({ row, server, seconds, runs, writesPerSecond });
  try {
    await stage.load.reaches(Math.min(writesPerSecond, runs * 2));
    await row.harm(stage);
    await stage.load.finish();
    await settled(stage, row, settleSeconds);
    const verdict = verdictOf(stage, row);
    await endControllers(stage);
    const remarks = [...stage.remarks, ...politeness(stage, row)];
    return { ...named, verdict, remarks, good: isClean(verdict) && remarks.every(({ good }) => good) };
  } finally {
    for (const { lines } of stage.everStarted) options.onLog?.(lines);
    for (const { child } of stage.controllers) child.kill('SIGKILL');
    await stage.sink.close();
    stage.disk?.close();
  }
}

function skipOf(row: Row, server: FaultServer): string | undefined {
  if (row.servers !== undefined && !row.servers.includes(server.name)) return `only on the ${row.servers.join(', ')}`;
  return row.skip?.(server);
}

/** Waits until everything was told, or until for so long nothing more was: a busy machine is slow, and loses nothing. */
async function settled(stage: Stage, row: Row, withinSeconds: number): Promise<void> {
  let [least, sinceMs] = [Number.POSITIVE_INFINITY, performance.now()];
  for (;;) {
    const { length } = verdictOf(stage, row).lost;
    if (length < least) [least, sinceMs] = [length, performance.now()];
    if (length === 0 || performance.now() - sinceMs > withinSeconds * 1000) return;
    await wait(250);
  }
}

function verdictOf(stage: Stage, { lossOf = 'everything' }: Row): Verdict {
  const { sink, ledger, untakeable } = stage;
  return judge({ owed: ledger.owed, arrivals: sink.arrivals, removed: ledger.removed, lossOf, untakeable });
}

/** Every controller that still runs ends in order when asked to. */
async function endControllers(stage: Stage): Promise<void> {
  for (const controller of stage.controllers) {
    const code = await controller.stop();
    if (code !== 0) stage.remarks.push({ name: 'exit code', value: String(code), good: false });
  }
}

function politeness({ sink, errors }: Stage, { polite }: Row): Remark[] {
  if (polite !== true) return [];
  const most = busiestSecond(sink.arrivals, errors.fromMs + 5000, errors.toMs);
  return [{ name: 'requests in a second from the 5th on', value: String(most), good: most <= politeLimit }];
}
