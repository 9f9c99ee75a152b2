import { startController } from '../support/controller.ts';
import { pause } from '../support/pause.ts';
import { rssMb } from '../support/process-cost.ts';
import type { Row } from '../support/row.ts';
import { inWorld } from '../support/world-client.ts';

/** How soon the bundle is ready on an empty server, and what it holds while nothing happens. */
export const start: Row = {
  name: 'start',
  run: async ({ repetitions }) => {
    const ready: number[] = [];
    const rss: number[] = [];
    for (let n = 0; n < repetitions + 1; n += 1) {
      await inWorld(async (world) => {
        const controller = await startController({ url: world.url });
        ready.push(controller.syncedMs);
        await pause(1000);
        rss.push(rssMb(controller.pid).now);
        await controller.stop();
      });
    }
    return {
      lines: [
        {
          what: 'bundle, from start to ready on an empty server',
          unit: 'ms',
          floor: [],
          ours: ready,
          budget: { of: 'value', atMost: 500 },
        },
        { what: 'RSS, bundle, idle', unit: 'MB', floor: [], ours: rss, budget: { of: 'value', atMost: 100 } },
      ],
    };
  },
};
