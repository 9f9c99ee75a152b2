import { isMainThread, workerData } from 'node:worker_threads';
import { serveOutbox } from '../lib/io/outbox/serve-outbox.ts';

// The bundle is one file, and the worker of the data dir is started from it as well: it must not begin the rest.
if (isMainThread) {
  const { commandLine } = await import('./wiring/command-line.ts');
  const exitCode = await commandLine(process.argv.slice(2));
  // What has been printed is out by then; what is still open of a start that failed must not keep the process.
  process.stdout.write('', () => process.exit(exitCode));
} else {
  serveOutbox(workerData);
}
