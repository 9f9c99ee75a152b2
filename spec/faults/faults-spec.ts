import { expect } from 'chai';
import { rowNamed } from '../../faults/rows/row-named.ts';
import type { FaultServer } from '../../faults/servers/fault-server.ts';
import { startSandbox } from '../../faults/servers/sandbox.ts';
import { table } from '../../faults/table.ts';
import { tryRow } from '../../faults/try-row.ts';

/** A selection of `npm run faults`, each fault as short as it can be and still hurt. */
const selection: readonly { readonly name: string; readonly seconds: number }[] = [
  { name: 'sink answers 503', seconds: 0.5 },
  { name: 'sink resets', seconds: 0.5 },
  { name: 'sink refuses 30% at random', seconds: 0.5 },
  { name: 'sink back at another port', seconds: 0.3 },
  { name: 'one event refused for ever among thousands', seconds: 0.5 },
  { name: 'controller SIGKILL once', seconds: 0.2 },
  { name: 'config-events replaced by force with a backlog', seconds: 0.2 },
  { name: 'runs deleted and made again while their last event waits', seconds: 0.3 },
  { name: 'disk full while the sink is down', seconds: 0.3 },
];

describe('faults on the sandbox', () => {
  let server: FaultServer;

  before(async () => {
    server = await startSandbox();
  });

  after(() => server.close());

  for (const { name, seconds } of selection) {
    it(`${name}: nothing is lost, has another id or comes out of order`, async () => {
      const row = { ...rowNamed(name), polite: false };
      const result = await tryRow(row, server, { seconds, runs: 24, writesPerSecond: 150, settleSeconds: 5 });
      expect(result.good, table([result])).to.equal(true);
    });
  }

  it('says why a row is not tried', async () => {
    const result = await tryRow(rowNamed('storage restarted'), server);
    expect(table([result])).to.contain('not tried: this server has no storage of its own');
  });
});
