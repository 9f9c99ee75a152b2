import { expect } from 'chai';
import { rowNamed } from '../../faults/rows/row-named.ts';
import { faultCluster } from '../../faults/servers/cluster.ts';
import type { FaultServer } from '../../faults/servers/fault-server.ts';
import { table } from '../../faults/table.ts';
import { tryRow } from '../../faults/try-row.ts';
import { sharedCluster } from './suite.ts';

/** A selection of `npm run faults`: what only a real API server can do, and one kill. */
const selection: readonly { readonly name: string; readonly seconds: number }[] = [
  { name: 'sink refuses 30% at random', seconds: 2 },
  { name: 'controller SIGKILL once', seconds: 1 },
  { name: 'watch cut every second', seconds: 3 },
  { name: 'API server down 20 s', seconds: 3 },
  { name: 'storage restarted', seconds: 0 },
];

describe('faults on the real cluster', () => {
  let server: FaultServer;

  before(async () => {
    server = await faultCluster(sharedCluster());
  });

  after(() => server.close());

  for (const { name, seconds } of selection) {
    it(`${name}: nothing is lost, has another id or comes out of order`, async () => {
      const result = await tryRow(rowNamed(name), server, { seconds, runs: 60, settleSeconds: 40 });
      expect(result.good, table([result])).to.equal(true);
    });
  }
});
