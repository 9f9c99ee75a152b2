import { openOutbox } from '../../lib/io/outbox/open-outbox.ts';
import { silentLog } from '../../lib/log.ts';
import { noMeasure } from '../../lib/metrics/own.ts';
import { outgoing } from './outgoing.ts';

/**
 * A process of its own that keeps events in the data dir `argv[2]` until it is killed, from the number `argv[3]` on:
 * it says on stdout up to which number everything is committed.
 */
const [, , dir = '', first = '0'] = process.argv;
const outbox = await openOutbox({ dir, log: silentLog, measure: noMeasure, now: Date.now });
for (let number = Number(first); ; ) {
  const many = Array.from({ length: 20 }, () => {
    number += 1;
    return { ...outgoing({ source: `run-${number}`, bytes: 4096 }), sequence: String(number).padStart(20, '0') };
  });
  outbox.put('taskruns', many);
  if (!(await outbox.flush())) throw new Error('expected the data dir to take everything');
  process.stdout.write(`${number}\n`);
}
