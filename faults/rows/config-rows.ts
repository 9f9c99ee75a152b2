import type { Row } from '../row.ts';
import type { Stage } from '../stage.ts';

/** What people do to the config maps while events go out. */
export const configRows: readonly Row[] = [
  {
    name: 'config maps flipped 1,000 times',
    seconds: 10,
    harm: async (stage) => {
      for (let flip = 0; flip < 1000; flip += 1) {
        await flips[flip % flips.length]?.(stage, Math.floor(flip / flips.length) % 2 === 0);
        await stage.wait(stage.seconds / 1000);
      }
    },
  },
  {
    name: 'config-events replaced by force with a backlog',
    seconds: 3,
    harm: async ({ sink, server, namespace, wait, seconds, pointAtSink }) => {
      await sink.close();
      await wait(seconds);
      await server.removeMap(namespace, 'config-events');
      await wait(seconds);
      await sink.reopen('same');
      await pointAtSink();
    },
  },
];

const flips: readonly ((stage: Stage, on: boolean) => Promise<void>)[] = [
  ({ pointAtSink }, on) => pointAtSink(on ? '/one' : '/two'),
  ({ server, namespace }, on) =>
    server.writeMap(namespace, 'config-observability', { 'metrics.taskrun.level': on ? 'task' : 'namespace' }),
  ({ server, namespace, sink }, on) =>
    server.writeMap(namespace, 'config-defaults', on ? { 'default-cloud-events-sink': sink.url } : {}),
  ({ server, namespace }, on) =>
    server.writeMap(namespace, 'feature-flags', {
      'send-cloudevents-for-runs': 'true',
      // What nobody knows is a warning, what is wrong is refused: neither may cost an event.
      ...(on ? { unknown: 'key' } : {}),
    }),
  ({ server, namespace }, on) =>
    server.writeMap(namespace, 'config-observability', { 'metrics.taskrun.level': on ? 'pod' : 'task' }),
];
