import { expect } from 'chai';
import sinon from 'sinon';
import { createSpanQueue, type SpanQueueOptions } from '../../../../lib/io/otlp/span-queue.ts';
import type { ExportResult } from '../../../../lib/io/otlp/target.ts';
import { span } from '../../../support/spans.ts';

const names = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => String(from + index));
const spans = (from: number, to: number) => names(from, to).map((name) => span({ name }));
const ok: ExportResult = { ok: true, items: 0 };
const later: ExportResult = { ok: false, problem: 'answered 503', retryable: true };
const never: ExportResult = { ok: false, problem: 'answered 400', retryable: false };

describe('createSpanQueue', () => {
  let clock: sinon.SinonFakeTimers;
  let sent: string[][];
  let dropped: string[];
  let answer: () => Promise<ExportResult>;

  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    sent = [];
    dropped = [];
    answer = async () => ok;
  });

  afterEach(() => clock.restore());

  const queueOf = (more: Partial<SpanQueueOptions> = {}) =>
    createSpanQueue({
      send: (batch) => {
        sent.push(batch.map(({ name }) => name));
        return answer();
      },
      onDropped: (cause, count) => dropped.push(`${cause} ${count}`),
      batchSize: 3,
      delayMs: 100,
      limit: 10,
      random: () => 1,
      ...more,
    });

  it('lets spans wait for company', async () => {
    const queue = queueOf();
    queue.add(spans(1, 1));
    await clock.tickAsync(99);
    queue.add(spans(2, 2));
    expect(sent).to.deep.equal([]);
    await clock.tickAsync(1);
    expect(sent).to.deep.equal([['1', '2']]);
    expect(queue.size).to.equal(0);
  });

  it('sends a full batch at once, and the rest right behind it', async () => {
    queueOf().add(spans(1, 7));
    await clock.tickAsync(0);
    expect(sent).to.deep.equal([['1', '2', '3'], ['4', '5', '6'], ['7']]);
  });

  it('tries a batch again with growing delays, in order, and loses nothing', async () => {
    const queue = queueOf();
    answer = async () => later;
    queue.add(spans(1, 2));
    await clock.tickAsync(100);
    queue.add(spans(3, 3));
    await clock.tickAsync(999);
    expect(sent).to.have.length(1);
    await clock.tickAsync(1);
    expect(sent).to.have.length(2);
    await clock.tickAsync(1999);
    expect(sent).to.have.length(2);
    answer = async () => ok;
    await clock.tickAsync(1);
    expect(sent.at(-1)).to.deep.equal(['1', '2', '3']);
    expect(dropped).to.deep.equal([]);
    expect(queue.size).to.equal(0);
  });

  it('drops what was refused, counts it, and goes on', async () => {
    const answers = [never, ok];
    answer = async () => answers.shift() ?? ok;
    queueOf().add(spans(1, 4));
    await clock.tickAsync(0);
    expect(sent).to.deep.equal([['1', '2', '3'], ['4']]);
    expect(dropped).to.deep.equal(['refused 3']);
  });

  it('drops the oldest that wait when it is full, and counts those under way', async () => {
    const queue = queueOf();
    const { promise, resolve } = Promise.withResolvers<ExportResult>();
    answer = () => promise;
    queue.add(spans(1, 3));
    await clock.tickAsync(0);
    queue.add(spans(4, 12));
    expect(dropped).to.deep.equal(['queue-full 2']);
    expect(queue.size).to.equal(10);
    answer = async () => ok;
    resolve(ok);
    await clock.tickAsync(0);
    expect(sent.slice(1)).to.deep.equal([['6', '7', '8'], ['9', '10', '11'], ['12']]);
  });

  it('flushes in spite of a back-off, and keeps what still cannot be sent', async () => {
    const queue = queueOf();
    answer = async () => later;
    queue.add(spans(1, 1));
    await clock.tickAsync(100);
    await queue.flush();
    expect(sent).to.have.length(2);
    expect(queue.size).to.equal(1);
    answer = async () => ok;
    await queue.flush();
    expect(queue.size).to.equal(0);
    await clock.tickAsync(60_000);
    expect(sent).to.have.length(3);
  });

  it('waits for the batch under way when it flushes', async () => {
    const queue = queueOf();
    const { promise, resolve } = Promise.withResolvers<ExportResult>();
    answer = () => promise;
    queue.add(spans(1, 3));
    await clock.tickAsync(0);
    queue.add(spans(4, 4));
    const flushed = queue.flush();
    resolve(ok);
    await flushed;
    expect(sent).to.deep.equal([['1', '2', '3'], ['4']]);
  });

  it('counts what it drops at its close and after it', async () => {
    const queue = queueOf();
    const { promise, resolve } = Promise.withResolvers<ExportResult>();
    answer = () => promise;
    queue.add(spans(1, 4));
    await clock.tickAsync(0);
    queue.close();
    queue.add(spans(5, 6));
    resolve(later);
    await clock.tickAsync(60_000);
    expect(dropped).to.deep.equal(['shutdown 4', 'shutdown 2']);
    expect(sent).to.have.length(1);
    expect(queue.size).to.equal(0);
  });
});
