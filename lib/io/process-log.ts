import pino from 'pino';
import type { Log } from '../log.ts';

/** The process's log: JSON lines on stderr, written before the call returns, so that nothing is lost at exit. */
export function processLog(level: 'debug' | 'info' | 'warn' | 'error'): Log {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, pino.destination({ dest: 2, sync: true }));
}
