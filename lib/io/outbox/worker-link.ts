import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Ask, EventPage, Opened, OutboxWorkerData, ToldPage, Written } from './messages.ts';

interface Answers {
  readonly open: Opened;
  readonly write: Written;
  readonly events: EventPage;
  readonly told: ToldPage;
  readonly close: undefined;
}

/** The main thread's side of the worker: one question at a time. */
export interface WorkerLink {
  /** Rejects when the worker ends before it has answered; then every later question is rejected as well. */
  ask<A extends Ask>(ask: A, transfer?: readonly ArrayBuffer[]): Promise<Answers[A['type']]>;
  /** Ends the worker, whatever it does. */
  end(): Promise<void>;
}

/** Starts the worker: from the source its own file, from the bundle the bundle, whose entry point knows what it is. */
export function startWorker(data: OutboxWorkerData): WorkerLink {
  const here = import.meta.filename;
  const file = here.endsWith('.ts') ? join(import.meta.dirname, 'outbox-worker.ts') : here;
  const worker = new Worker(file, { workerData: data });
  let ended: unknown;
  let asking: { resolve: (answer: never) => void; reject: (error: unknown) => void } | undefined;

  const end = (problem: unknown) => {
    ended ??= problem;
    asking?.reject(ended);
    asking = undefined;
  };
  worker.on('message', (answer: unknown) => {
    // Idle, it must not keep the process alive; asked, it must.
    worker.unref();
    const asked = asking;
    asking = undefined;
    asked?.resolve(answer as never);
  });
  worker.on('error', end);
  worker.on('exit', () => end(new Error('the worker of the data dir has ended')));
  worker.unref();

  return {
    ask: (ask, transfer = []) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) {
          reject(ended);
          return;
        }
        asking = { resolve, reject };
        worker.ref();
        worker.postMessage(ask, [...transfer]);
      }),
    end: async () => void (await worker.terminate()),
  };
}
