import type { Row } from '../row.ts';
import { smallDiskProblem } from '../small-disk.ts';
import type { Stage } from '../stage.ts';

/** Enough for a database and a backlog of some seconds, and filled in a moment. */
const onSmallDisk = { diskBytes: 32 * 1024 * 1024, skip: smallDiskProblem };

/** What becomes of the disk that the data dir is on. */
export const diskRows: readonly Row[] = [
  {
    name: 'disk full while the sink is down',
    seconds: 5,
    ...onSmallDisk,
    harm: async (stage) => {
      await nothingTaken(stage);
      stage.disk?.free();
      await stage.sink.reopen('same');
    },
  },
  {
    name: 'disk full, controller SIGKILL, started again on the full disk',
    seconds: 3,
    ...onSmallDisk,
    harm: async (stage) => {
      await nothingTaken(stage);
      await stage.stop('SIGKILL');
      await stage.start();
      await stage.wait(stage.seconds);
      await stage.sink.reopen('same');
      await stage.wait(stage.seconds);
      stage.disk?.free();
    },
  },
];

/** Neither by the sink nor by the disk, while the fault lasts: from when the controller has met the full disk. */
async function nothingTaken({ sink, disk, controllers, wait, seconds }: Stage): Promise<void> {
  await sink.close();
  disk?.fill();
  const [controller] = controllers;
  await controller?.logged(({ msg }) => msg === 'the data dir cannot be written, events stay in memory');
  await wait(seconds);
}
