import type { ReplayOptions } from '../../config/process/replay-options.ts';
import type { Attempt, OutgoingEvent } from '../../lib/events/outgoing.ts';
import { readLetters } from '../../lib/io/outbox/read-letters.ts';
import { type Replayed, replay } from '../../lib/io/replay.ts';
import { createSink } from '../../lib/io/sink/create-sink.ts';
import { type Log, silentLog } from '../../lib/log.ts';
import { noMeasure } from '../../lib/metrics/own.ts';
import { letterFilter } from '../../lib/outbox/letter-filter.ts';
import { sinkSecurity } from './secure-ends.ts';

interface Terminal {
  readonly print: (line: string) => void;
  readonly complain: (line: string) => void;
}

/**
 * Sends dead letters again under their ids, a line each and their sum at the end; the exit code.
 *
 * The sink is reached as the controller reaches it: credentials, authorities and proxies are the same. 0 when all that
 * passed the filter were taken, 1 when one was not or a line could not be read, 2 when there is no such data dir or a
 * file that names how to reach the sink is no good.
 */
export async function replayLetters(options: ReplayOptions, { print, complain }: Terminal): Promise<number> {
  const { dataDir, dryRun, remove } = options;
  try {
    const letters = readLetters(dataDir);
    const events = letters.events.filter(letterFilter(options));
    if (letters.unreadable > 0) complain(`${letters.unreadable} lines are no dead letters and stay as they are`);
    if (dryRun) {
      for (const event of events) print(lineOf('would be sent', event));
      print(`${events.length} of ${letters.events.length} dead letters would be sent`);
      return letters.unreadable > 0 ? 1 : 0;
    }
    const taken = await send(events, options, { print, complain });
    if (remove) letters.remove(taken);
    print(`${taken.size} of ${events.length} taken${remove ? ', and removed from the dead letters' : ''}`);
    return taken.size === events.length && letters.unreadable === 0 ? 0 : 1;
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
    return 2;
  }
}

async function send(
  events: readonly OutgoingEvent[],
  options: ReplayOptions,
  { print, complain }: Terminal,
): Promise<ReadonlySet<string>> {
  const { to = '', sinkTimeoutMs: timeoutMs } = options;
  const log: Log = { ...silentLog, warn: (_, sentence) => complain(sentence) };
  const security = sinkSecurity({ options, measure: noMeasure, log });
  const sink = createSink({ timeoutMs, measure: noMeasure, ...security });
  const { signal } = new AbortController();
  const taken = new Set<string>();
  await replay({
    events,
    post: (event) => sink.post(event, to, signal),
    onReplayed: (event, outcome, attempt) => {
      if (outcome === 'taken') taken.add(event.id);
      print(lineOf(outcomeText(outcome, attempt), event));
    },
  });
  await sink.close();
  return taken;
}

function outcomeText(outcome: Replayed, attempt: Attempt | undefined): string {
  if (outcome === 'held') return 'not sent, an earlier event of the run was not taken';
  return attempt === undefined || attempt.outcome === 'delivered' ? 'taken' : `not taken, ${attempt.problem}`;
}

function lineOf(outcome: string, { timeMs, type, namespace, name, id }: OutgoingEvent): string {
  return `${new Date(timeMs).toISOString()} ${type} ${namespace}/${name} ${id}: ${outcome}`;
}
