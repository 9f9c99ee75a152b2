import type { Deliveries } from '../subjects/delivery.ts';
import { startHelper } from '../support/helper.ts';
import type { Row } from '../support/row.ts';
import { inWorld } from '../support/world-client.ts';

/** How fast events leave, against bare requests with the same body to the same sink. */
export const delivery: Row = {
  name: 'delivery',
  run: async ({ scale, repetitions }) => {
    const count = 10_000 * scale;
    const told = await inWorld(async (world) => {
      const args = [`${world.url}/sink`];
      const subject = await startHelper<{ count: number; rounds: number }, Deliveries>('subjects/delivery.ts', args);
      const deliveries = await subject.ask({ count, rounds: repetitions + 2 });
      await subject.stop();
      return deliveries;
    });
    return {
      lines: [
        {
          what: 'delivery, 4 KB, 64 in flight',
          unit: '/s',
          floor: told.floorPerSecond,
          ours: told.oursPerSecond,
          budget: { of: 'ratio', atLeast: 0.55 },
          note: 'undici.request; ours makes and checks a CloudEvent for each',
        },
        { what: 'CPU of it', unit: 'us', floor: told.floorUs, ours: told.oursUs, budget: { of: 'none' } },
      ],
    };
  },
};
