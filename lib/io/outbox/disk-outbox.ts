import { backoffDelay } from '../../backoff.ts';
import type { OutgoingEvent } from '../../events/outgoing.ts';
import type { DropCause } from '../../metrics/own.ts';
import type { Batch } from '../../outbox/batch.ts';
import { deadLetterLine } from '../../outbox/dead-letter.ts';
import { type Kept, leaseMark, type Outbox, type OutboxState } from '../../outbox/outbox.ts';
import { urgentPortion } from '../../outbox/pace.ts';
import { toldRecord } from '../../outbox/records.ts';
import { stateAfter } from '../../outbox/state-after.ts';
import type { Portion } from '../../outbox/waiting-events.ts';
import { WriteBuffer } from '../../outbox/write-buffer.ts';
import type { Known } from '../../run/observe.ts';
import type { Written } from './messages.ts';
import { openLink } from './open-link.ts';
import type { OutboxOptions } from './outbox-options.ts';
import { type OutboxReports, outboxReports } from './outbox-reports.ts';
import { readKept } from './read-kept.ts';
import type { WorkerLink } from './worker-link.ts';
import { writeAsk } from './write-ask.ts';

const defaultRetry = { initialMs: 1000, maxMs: 60_000 };

/**
 * How long what is said gathers before it is written. An event that is acknowledged meanwhile costs no write; one that
 * is not is no worse off, since the marks on disk do not pass it: it is observed again. With 64 posts under way to a
 * sink that takes 5,000 events a second, 25 ms would write every second event, and one second writes one of a hundred.
 */
const defaultGatherMs = 1000;

/** `what has gathered` leaves behind what is likely to be settled before it needs the disk. */
type HowMuch = 'everything' | 'what has gathered';

/** An outbox on disk: gathers what is said, and writes it in a worker, one transaction after the other. */
export class DiskOutbox implements Outbox {
  readonly #options: OutboxOptions;
  readonly #buffer = new WriteBuffer();
  readonly #reports: OutboxReports;
  #link: WorkerLink | undefined;
  #state: OutboxState = { id: '', marks: {}, complete: [] };
  /** What the worker does, one thing after the other. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Of the next write, soon or after a failure; undefined when nothing waits. */
  #timer: NodeJS.Timeout | undefined;
  /** When the timer was set, and how many events had been settled by then. */
  #since = { atMs: 0, settled: 0 };
  #closed = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#reports = outboxReports(options);
  }

  async open(): Promise<void> {
    await this.#connect();
  }

  state(): OutboxState {
    return this.#state;
  }

  put(watch: string, events: readonly OutgoingEvent[]): void {
    this.#buffer.put(watch, events, { putAtMs: this.#options.now(), sinceMs: performance.now() });
    this.#schedule();
  }

  settle(event: OutgoingEvent): void {
    this.#buffer.settle(event);
    this.#schedule();
  }

  bury(event: OutgoingEvent, cause: DropCause): void {
    if (!this.#buffer.bury({ event, line: deadLetterLine(event, cause, this.#options.now()) })) {
      this.#buffer.settle(event);
      this.#reports.letters(0, 1);
    }
    this.#schedule();
  }

  tell(watch: string, known: Known): void {
    this.#told(this.#buffer.tell(toldRecord(watch, known)));
  }

  forget(uid: string): void {
    this.#told(this.#buffer.forget(uid));
  }

  reached(watch: string, version: string): void {
    this.#buffer.reached(watch, version);
    // The Lease moves every two seconds, and matters once a watch has moved too: it is written with that.
    if (watch !== leaseMark) this.#schedule();
  }

  listed(watch: string): void {
    this.#buffer.listed(watch);
    this.#schedule();
  }

  forgetTold(): void {
    this.#buffer.forgetTold();
    this.#state = { ...this.#state, marks: {}, complete: [] };
    this.#schedule();
  }

  async load(): Promise<Kept> {
    const whole = await this.flush();
    return this.#alone(async () => {
      try {
        const { events, told } = await readKept(await this.#connect());
        return { events: this.#buffer.resume(events), told };
      } catch (error) {
        if (whole) this.#reports.failed(error);
        if (this.#link !== undefined) await this.#disconnect(this.#link);
        this.#state = { ...this.#state, complete: [] };
        return { events: this.#buffer.unsettled(), told: [] };
      }
    });
  }

  flush(): Promise<boolean> {
    return this.#alone(() => this.#writeAll('everything'));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    await this.flush();
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#alone(async () => {
      await this.#link?.ask({ type: 'close' }).catch(() => {});
      await this.#link?.end();
    });
  }

  #told(kept: boolean): void {
    if (!kept) this.#reports.toldGivenUp();
    this.#schedule();
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#closed) return;
    this.#writeIn(this.#options.gatherMs ?? defaultGatherMs);
  }

  #writeIn(delayMs: number): void {
    this.#since = { atMs: performance.now(), settled: this.#buffer.settled };
    this.#timer = setTimeout(() => void this.#alone(() => this.#writeAll('what has gathered')), delayMs).unref();
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => {});
    return done;
  }

  /** Whether it is all on disk. */
  async #writeAll(how: HowMuch): Promise<boolean> {
    if (this.#closed) return false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      const link = await this.#connect();
      await this.#writeBatches(link, how);
      this.#reports.written();
      if (this.#buffer.hasNews) this.#schedule();
      return true;
    } catch (error) {
      this.#reports.failed(error);
      this.#retryLater();
      return false;
    } finally {
      this.#options.measure.set('outbox_events', this.#buffer.keptEvents);
      this.#options.measure.set('outbox_waiting_events', this.#buffer.waitingEvents);
    }
  }

  async #writeBatches(link: WorkerLink, how: HowMuch): Promise<void> {
    const urgent = () => (how === 'everything' ? 'oldest' : this.#urgent());
    let portion: Portion | undefined = urgent() ?? 'beside-mark';
    while (portion !== undefined) {
      const batch = this.#buffer.take(portion);
      if (batch === undefined) return;
      await this.#write(link, batch);
      portion = urgent();
    }
  }

  /** What must be written now; undefined: what waits may wait until the next time. */
  #urgent(): Portion | undefined {
    const portion = urgentPortion(this.#buffer.waiting(performance.now(), this.#since));
    return portion ?? (this.#buffer.hasMuchTold ? 'beside-mark' : undefined);
  }

  async #write(link: WorkerLink, batch: Batch): Promise<void> {
    const startedMs = performance.now();
    const { transfer, ...ask } = writeAsk(batch);
    const written = await link.ask(ask, transfer).catch((error: Error): Written => {
      this.#link = undefined;
      return { ok: false, cause: 'failed', problem: error.message, removed: false, letters: error.message };
    });
    this.#options.measure.observe('outbox_commit_seconds', (performance.now() - startedMs) / 1000);
    this.#settleBatch(batch, written);
    if (!written.ok && written.cause === 'corrupt') await this.#disconnect(link);
    const problem = written.ok ? written.letters : written.problem;
    if (typeof problem === 'string') throw new Error(problem);
  }

  #settleBatch(batch: Batch, written: Written): void {
    const { letters } = written;
    if (written.ok) {
      this.#buffer.committed(batch);
      this.#state = stateAfter(this.#state, batch);
    } else {
      this.#buffer.failed(batch, written.removed);
    }
    if (typeof letters === 'string') {
      this.#buffer.unburied(batch);
      return;
    }
    for (const { event } of batch.letters) this.#buffer.settle(event);
    this.#reports.letters(batch.letters.length - letters.refused, letters.refused);
  }

  /** The worker with the data dir open. Rejects with one sentence when it cannot be had. */
  async #connect(): Promise<WorkerLink> {
    if (this.#link !== undefined) return this.#link;
    const { link, ...opened } = await openLink(this.#options);
    if (opened.movedAside !== undefined) this.#reports.movedAside(opened.movedAside);
    if (this.#state.id !== '' && this.#state.id !== opened.state.id) this.#buffer.startOver();
    this.#state = opened.state;
    this.#link = link;
    return link;
  }

  async #disconnect(link: WorkerLink): Promise<void> {
    this.#link = undefined;
    await link.end();
  }

  #retryLater(): void {
    if (this.#closed) return;
    const { initialMs, maxMs } = this.#options.retry ?? defaultRetry;
    const policy = { initialMs, maxMs, factor: 2, resetAfterMs: 0 };
    const delayMs = backoffDelay(policy, this.#reports.failures, 1 - Math.random() / 2);
    clearTimeout(this.#timer);
    this.#writeIn(delayMs);
  }
}
