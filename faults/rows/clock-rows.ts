import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refusesShare } from '../behaviours.ts';
import { take } from '../numbered-sink.ts';
import type { Row } from '../row.ts';

/** Where Debian's libfaketime is, by processor. */
const library = ['x86_64', 'aarch64']
  .map((name) => `/usr/lib/${name}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find((file) => existsSync(file));

/** What libfaketime adds to the wall clock stands in this file. */
function fakeClock(offset: string): Readonly<Record<string, string>> {
  const file = join(tmpdir(), `faults-clock-${process.pid}`);
  writeFileSync(file, `${offset}\n`);
  return { FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' };
}

/** The controller's wall clock is turned while it works; its monotonic clock is not, as on a real machine. */
export const clockRows: readonly Row[] = [
  { name: 'clock put forward by an hour', steps: ['+3600s'] },
  { name: 'clock put back by an hour', steps: ['-3600s'] },
  { name: 'clock put forward by an hour, and back', steps: ['+3600s', '+0s'] },
].map(({ name, steps }) => ({
  name,
  seconds: 4,
  skip: () => (library === undefined ? 'the Debian package libfaketime is not installed' : undefined),
  env: () => ({ ...fakeClock('+0s'), LD_PRELOAD: library ?? '' }),
  harm: async ({ sink, wait, seconds }) => {
    sink.behaviour = refusesShare(0.3);
    for (const step of steps) {
      await wait(seconds);
      fakeClock(step);
    }
    await wait(seconds);
    sink.behaviour = take;
  },
}));
