import { workerData } from 'node:worker_threads';
import { serveOutbox } from './serve-outbox.ts';

// The worker as it is started from the source tree; in the bundle, the entry point does the same.
serveOutbox(workerData);
