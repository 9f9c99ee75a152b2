import { expect } from 'chai';
import type { FaultServer } from '../../faults/servers/fault-server.ts';
import { startSandbox } from '../../faults/servers/sandbox.ts';
import { type ControllerProcess, startProcess } from '../support/controller-process.ts';
import { argsFor } from '../support/world.ts';

describe('a controller whose API server hangs', () => {
  let server: FaultServer;
  let controller: ControllerProcess;

  beforeEach(async () => {
    server = await startSandbox();
    const args = argsFor({ kubeconfigFile: server.spiedKubeconfigFile }, await server.freshNamespace());
    controller = startProcess([...args, '--lease-retry', '200ms']);
    await controller.logged(({ msg }) => msg === 'synced');
  });

  afterEach(async () => {
    await controller.stop('SIGKILL');
    await server.close();
  });

  it('ends in order on SIGTERM, and does not stay until it may ask for the lease to be given up', async () => {
    const writes: string[] = [];
    // Nothing is answered any more, and a renewal of the lease waits for 4 s.
    await new Promise<void>((resolve) => {
      server.spy.onRequest = ({ method, path }) => {
        if (path.includes('/leases/')) resolve(void writes.push(method));
        return 'hang';
      };
    });
    expect(await controller.stop('SIGTERM')).to.equal(0);
    expect(writes).to.deep.equal(['PUT']);
    expect(controller.lines.find(({ msg }) => msg === 'stopped')).to.include({ left: 0 });
  });
});
