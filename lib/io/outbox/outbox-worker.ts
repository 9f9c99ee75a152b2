import { workerData } from 'node:worker_threads';
import { serveOutbox } from './serve-outbox.ts';

// The worker as it is started: from the source this file, from the bundle a script made of it.
serveOutbox(workerData);
