import type { Row } from '../row.ts';
import { smallDiskProblem } from '../small-disk.ts';
import type { Stage } from '../stage.ts';

/** Enough for a database and a backlog of some seconds, and filled in a moment. */
const diskBytes = 32 * 1024 * 1024;

/** What becomes of the disk that the data dir is on. */
export const diskRows: readonly Row[] = [
  {
    name: 'disk full while the sink is down',
    seconds: 5,
    diskBytes,
    skip: smallDiskProblem,
    harm: async (stage) => {
      await stage.sink.close();
      await fillDisk(stage);
      await stage.wait(stage.seconds);
      stage.disk?.free();
      await stage.sink.reopen('same');
    },
  },
  {
    name: 'disk full, controller SIGKILL, started again on the full disk',
    seconds: 3,
    diskBytes,
    skip: smallDiskProblem,
    harm: async (stage) => {
      await stage.sink.close();
      await fillDisk(stage);
      await stage.wait(stage.seconds);
      await stage.stop('SIGKILL');
      await stage.start();
      await stage.wait(stage.seconds);
      await stage.sink.reopen('same');
      await stage.wait(stage.seconds);
      stage.disk?.free();
    },
  },
];

/** Settles once the controller has met the full disk and said so. */
async function fillDisk({ disk, controllers }: Stage): Promise<void> {
  disk?.fill();
  const [controller] = controllers;
  await controller?.logged(({ msg }) => msg === 'the data dir cannot be written, events stay in memory');
}
