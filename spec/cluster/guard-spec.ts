import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { until } from './until.ts';

/** A process that starts a guarded daemon, which connects to `port`, and then does what `ending` says. */
function guardedProcess(dir: string, port: number, ending: string) {
  const script = `
    import { startDaemon } from '${import.meta.dirname}/daemon.ts';
    import { startGuard } from '${import.meta.dirname}/guard.ts';
    const guard = startGuard(${JSON.stringify(dir)});
    const daemon = await startDaemon({
      name: 'daemon',
      file: process.execPath,
      args: ['-e', "require('node:net').connect(${port}, '127.0.0.1').resume()"],
      logFile: '${dir}/daemon.log',
    });
    guard.watch([daemon.pid]);
    process.stdin.once('data', () => { ${ending} });
  `;
  return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'ignore', 'ignore'] });
}

describe('startGuard', () => {
  let server: Server;
  let children: ChildProcess[];
  let daemons: Socket[];

  beforeEach(async () => {
    children = [];
    daemons = [];
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  // A daemon that was not killed ends with its connection, so that a failure leaves nothing behind.
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL');
    for (const daemon of daemons) daemon.destroy();
    server.close();
  });

  const endings = [
    { title: 'returns', ending: 'process.exit(0)' },
    { title: 'fails with an uncaught error', ending: "throw new Error('uncaught')" },
    { title: 'is interrupted', ending: "process.kill(process.pid, 'SIGINT')" },
    { title: 'is killed', ending: "process.kill(process.pid, 'SIGKILL')" },
  ];

  for (const { title, ending } of endings) {
    it(`ends the servers and removes their folder when the process ${title}`, async () => {
      const dir = mkdtempSync(join(tmpdir(), 'spec-guard-'));
      const child = guardedProcess(dir, (server.address() as AddressInfo).port, ending);
      children.push(child);
      const [daemon] = (await once(server, 'connection')) as [Socket];
      daemons.push(daemon.on('error', () => {}).resume());
      const gone = once(daemon, 'close');

      child.stdin.write('end\n');
      await gone;
      await until(async () => !existsSync(dir), { what: 'the folder to be removed' });

      expect(existsSync(dir)).to.equal(false);
    });
  }
});
