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

/** The worker as one script of its own, which the bundle holds as a text; not there when run from the source. */
declare const OUTBOX_WORKER: string | undefined;

function newWorker(workerData: OutboxWorkerData): Worker {
  if (typeof OUTBOX_WORKER === 'string') return new Worker(OUTBOX_WORKER, { eval: true, workerData });
  return new Worker(join(import.meta.dirname, 'outbox-worker.ts'), { workerData });
}

/** Starts the worker, which loads no more than it needs: the whole bundle would be 40 MB of memory once more. */
export function startWorker(data: OutboxWorkerData): WorkerLink {
  const worker = newWorker(data);
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
