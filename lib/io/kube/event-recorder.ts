import { setTimeout as sleep } from 'node:timers/promises';
import { type BackoffPolicy, backoffDelay } from '../../backoff.ts';
import { LinkedList } from '../../events/linked-list.ts';
import { type TokenBuckets, tokenBuckets } from '../../events/token-bucket.ts';
import { eventType, type KubeApi, KubeError, type KubeFailure } from '../../kube/api.ts';
import type { Log } from '../../log.ts';
import type { KubeEventOutcome, Measure } from '../../metrics/own.ts';
import type { Resource } from '../../run/run.ts';

export interface EventRecorderOptions {
  readonly api: Pick<KubeApi, 'create'>;
  readonly measure: Measure;
  readonly log: Log;
  /** Default Date.now. */
  readonly now?: () => number;
  /** Uniform in [0, 1); default Math.random. */
  readonly random?: () => number;
  /** Resolves after so many ms, rejects when aborted; default node's own. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly buckets?: TokenBuckets;
  /** Writes under way at once; default 4. */
  readonly maxInFlight?: number;
  /** Events that may wait for one of these; default 1000. More count as rate-limited. */
  readonly maxWaiting?: number;
}

export interface EventRecorder {
  /** Queues an Event, as lib/events/kube-event.ts makes them; says what became of it. Never rejects. */
  record(event: Resource): Promise<KubeEventOutcome>;
  /** The same for an Event about the object of this uid, which is made only if it may be written: under load most may not. */
  recordAbout(uid: string, make: () => Resource): Promise<KubeEventOutcome>;
  /** Ends the waits between attempts: what is not written yet has failed. */
  close(): void;
}

/** Tries of one Event; it is advice to a reader, not worth more. */
const maxAttempts = 4;
const retryBackoff: BackoffPolicy = { initialMs: 500, maxMs: 5000, factor: 2, resetAfterMs: 0 };

/** Failures that time may heal. Any other would come again. */
const passing: ReadonlySet<KubeFailure> = new Set(['busy', 'unreachable', 'unauthorized']);

interface Job {
  readonly event: Resource;
  readonly done: (outcome: KubeEventOutcome) => void;
}

/** Writes Kubernetes Events: a few at a time, at a bounded rate, with a few tries each, every outcome counted. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { log, measure, maxInFlight = 4, maxWaiting = 1000, now = Date.now } = options;
  const buckets = options.buckets ?? tokenBuckets();
  const closing = new AbortController();
  const waiting = new LinkedList<Job>();
  const said = new Set<string>();
  let inFlight = 0;

  const finish = (done: Job['done'], outcome: KubeEventOutcome) => {
    measure.count('kubernetes_events_total', { outcome });
    done(outcome);
  };
  const sayOnce = (sentence: string, fields: Readonly<Record<string, unknown>>) => {
    log[said.has(sentence) ? 'debug' : 'warn'](fields, sentence);
    said.add(sentence);
  };
  const settle = (done: Job['done'], { outcome, problem }: Written) => {
    if (outcome === 'forbidden') sayOnce('the API server forbids Kubernetes Events', { problem });
    if (outcome === 'failed') sayOnce('a Kubernetes Event was not written', { problem });
    if (outcome === 'written') said.clear();
    finish(done, outcome);
  };
  const run = async ({ event, done }: Job) => settle(done, await write(event, options, closing.signal));
  const pump = () => {
    for (let link = waiting.first; link !== undefined && inFlight < maxInFlight; link = waiting.first) {
      waiting.remove(link);
      inFlight += 1;
      void run(link.value).finally(() => {
        inFlight -= 1;
        pump();
      });
    }
  };
  const recordAbout = (key: string, make: () => Resource) =>
    new Promise<KubeEventOutcome>((done) => {
      const full = waiting.size >= maxWaiting;
      if (full || !buckets.take(key, now())) return finish(done, 'rate-limited');
      try {
        waiting.push({ event: make(), done });
      } catch (error) {
        return settle(done, { outcome: 'failed', problem: String(error) });
      }
      return pump();
    });
  return {
    record: (event) => recordAbout(keyOf(event), () => event),
    recordAbout,
    close: () => closing.abort(),
  };
}

interface Written {
  readonly outcome: KubeEventOutcome;
  readonly problem: string;
}

async function write(event: Resource, options: EventRecorderOptions, signal: AbortSignal): Promise<Written> {
  const { api, random = Math.random, wait = (ms) => sleep(ms, undefined, { signal }) } = options;
  const namespace = String((event.metadata as Resource).namespace);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await api.create(eventType, namespace, event, signal);
      return { outcome: 'written', problem: '' };
    } catch (error) {
      const { failure, message, retryAfterMs = 0 } = kubeErrorOf(error);
      if (failure === 'conflict') return { outcome: 'exists', problem: '' };
      if (failure === 'forbidden') return { outcome: 'forbidden', problem: message };
      if (!passing.has(failure) || attempt === maxAttempts) return { outcome: 'failed', problem: message };
      const delayMs = Math.max(backoffDelay(retryBackoff, attempt, random()), Math.min(retryAfterMs, 30_000));
      const ended = await wait(delayMs, signal).then(
        () => false,
        () => true,
      );
      if (ended) return { outcome: 'failed', problem: 'shutting down' };
    }
  }
}

function kubeErrorOf(error: unknown): Pick<KubeError, 'failure' | 'message' | 'retryAfterMs'> {
  if (error instanceof KubeError) return error;
  return { failure: 'malformed', message: String(error), retryAfterMs: undefined };
}

/** One bucket for each object that Events are about. */
function keyOf({ involvedObject, metadata }: Resource): string {
  const { uid = '' } = involvedObject as Resource;
  const { namespace, name } = metadata as Resource;
  return uid === '' ? `${namespace}/${name}` : String(uid);
}
