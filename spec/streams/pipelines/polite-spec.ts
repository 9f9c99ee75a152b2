import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { of, VirtualTimeScheduler } from 'rxjs';
import { createSink } from '../../../lib/io/sink/create-sink.ts';
import { silentLog } from '../../../lib/log.ts';
import { noMeasure } from '../../../lib/metrics/own.ts';
import { deliver } from '../../../streams/pipelines/deliver.ts';
import { outgoing } from '../../support/outgoing.ts';

const takes = 'HTTP/1.1 204 Taken\r\n\r\n';
const refuses = 'HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n';

/** What a failing sink may do with its so-manieth request, besides taking its time. */
const failures: Readonly<Record<string, (socket: Socket, request: number) => void>> = {
  'resets each connection': (socket) => void socket.resetAndDestroy(),
  'ends each connection': (socket) => void socket.end(),
  'answers 500': (socket) => void socket.write(refuses),
  'answers 500, and then ends the connection': (socket) => void socket.end(refuses),
  'answers 500 and resets in turns': (socket, request) =>
    void (request % 2 === 0 ? socket.write(refuses) : socket.resetAndDestroy()),
  'resets each connection after it took 64 events': (socket, request) =>
    void (request <= 64 ? socket.write(takes) : socket.resetAndDestroy()),
};

/** Real sockets, virtual time, no luck: every wait is as short as chance can make it. */
describe('a sink that answers only errors, with 300 runs waiting', () => {
  for (const [name, fail] of Object.entries(failures)) {
    it(`and ${name} gets at most ten requests in any second from the fifth on`, async () => {
      const scheduler = new VirtualTimeScheduler(undefined, 0);
      const times: number[] = [];
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.on('data', (bytes) => {
          if (!bytes.includes('POST ')) return;
          times.push(scheduler.now());
          fail(socket, times.length);
        });
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const sink = createSink({ measure: noMeasure });
      const events = Array.from({ length: 300 }, (_, number) => outgoing({ source: `run-${number}` }));
      const posts: Promise<unknown>[] = [];
      const { note$ } = deliver({
        event$: of(events),
        sink$: of({ state: 'sink', url }),
        post: (event, to, signal) => {
          const attempt = sink.post(event, to, signal);
          posts.push(attempt);
          return attempt;
        },
        measure: noMeasure,
        log: silentLog,
        random: () => 0,
        scheduler,
      });
      const delivering = note$.subscribe();
      for (let done = 0; scheduler.now() < 12_000; ) {
        for (; done < posts.length; done += 1) await posts[done];
        await turn();
        if (done < posts.length) continue;
        scheduler.frame += 1;
        scheduler.maxFrames = scheduler.frame;
        scheduler.flush();
      }
      delivering.unsubscribe();
      await sink.close();
      server.close();
      expect(mostInASecond(times.filter((atMs) => atMs >= 5000))).to.be.within(1, 10);
    });
  }
});

function mostInASecond(times: readonly number[]): number {
  return Math.max(...times.map((atMs) => times.filter((one) => one >= atMs && one < atMs + 1000).length));
}
