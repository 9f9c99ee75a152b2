import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { request } from 'undici';
import { createProfiler, type Profiler } from '../../lib/io/profiling/create-profiler.ts';
import { silentLog } from '../../lib/log.ts';

describe('go tool pprof', () => {
  let profiler: Profiler;
  let base: string;
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pprof-'));
    profiler = createProfiler({ host: '127.0.0.1', port: 0, log: silentLog });
    base = `http://127.0.0.1:${await profiler.open()}/debug/pprof`;
    await profiler.enable(true);
  });

  after(async () => {
    rmSync(folder, { recursive: true });
    await profiler.close();
  });

  async function topOf(name: string, path: string): Promise<string> {
    const { body } = await request(`${base}/${path}`);
    const file = join(folder, name);
    writeFileSync(file, Buffer.from(await body.arrayBuffer()));
    const { status, stdout, stderr } = spawnSync('go', ['tool', 'pprof', '-top', '-nodecount=400', file], {
      encoding: 'utf8',
    });
    expect([status, stderr.match(/error/i)]).to.deep.equal([0, null]);
    return stdout;
  }

  it('reads the CPU profile', async () => {
    const burning = new AbortController();
    burnSomeCpu(burning.signal);
    const top = await topOf('cpu.pb.gz', 'profile?seconds=1').finally(() => burning.abort());
    expect(top)
      .to.match(/^Type: cpu$/m)
      .and.match(/ burnSomeCpu$/m);
  });

  it('reads the heap profile', async () => {
    const kept = allocateALot();
    const top = await topOf('heap.pb.gz', 'heap');
    expect(kept).to.have.length(200_000);
    expect(top)
      .to.match(/^Type: inuse_space$/m)
      .and.match(/ allocateALot$/m);
  });
});

/** Keeps the CPU busy under a name that can be found again, a little at a time. */
function burnSomeCpu(stop: AbortSignal): void {
  const until = performance.now() + 5;
  while (performance.now() < until);
  if (!stop.aborted) setImmediate(burnSomeCpu, stop);
}

function allocateALot(): object[] {
  return Array.from({ length: 200_000 }, (_, index) => ({ index, text: `allocated ${index}` }));
}
