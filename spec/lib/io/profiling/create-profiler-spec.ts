import { once } from 'node:events';
import { get } from 'node:http';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { Profile } from 'pprof-format';
import { request } from 'undici';
import { createProfiler, type Profiler } from '../../../../lib/io/profiling/create-profiler.ts';
import { silentLog } from '../../../../lib/log.ts';

/** Keeps the CPU busy under a name that can be found again, a little at a time. */
function burnSomeCpu(stop: AbortSignal): void {
  const until = performance.now() + 5;
  while (performance.now() < until);
  if (!stop.aborted) setImmediate(burnSomeCpu, stop);
}

describe('createProfiler', () => {
  let profiler: Profiler;
  let base: string;
  let port: number;

  beforeEach(async () => {
    profiler = createProfiler({ host: '127.0.0.1', port: 0, log: silentLog });
    port = await profiler.open();
    base = `http://127.0.0.1:${port}`;
  });

  afterEach(() => profiler.close());

  const ask = async (path: string, method: 'GET' | 'POST' | 'HEAD' = 'GET') => {
    const { statusCode, headers, body } = await request(base + path, { method });
    return { status: statusCode, headers, bytes: Buffer.from(await body.arrayBuffer()) };
  };
  const functionsOf = (bytes: Buffer) => {
    const profile = Profile.decode(gunzipSync(bytes));
    return profile.function.map(({ name }) => profile.stringTable.strings[Number(name)]);
  };

  it('answers 404 with a sentence until it is enabled, and again when it is not', async () => {
    for (const path of ['/debug/pprof/', '/debug/pprof/heap', '/debug/pprof/profile?seconds=1']) {
      const { status, bytes } = await ask(path);
      expect([status, bytes.toString()]).to.deep.equal([
        404,
        'profiling is disabled: runtime-profiling in config-observability enables it\n',
      ]);
    }
    await profiler.enable(true);
    expect((await ask('/debug/pprof/')).status).to.equal(200);
    await profiler.enable(false);
    expect((await ask('/debug/pprof/')).status).to.equal(404);
  });

  it('lists what there is', async () => {
    await profiler.enable(true);
    expect((await ask('/debug/pprof')).bytes.toString()).to.include('/debug/pprof/profile?seconds=30');
    expect((await ask('/debug/pprof/block')).status).to.equal(404);
    expect((await ask('/debug/pprof/heap', 'POST')).status).to.equal(405);
    expect((await ask('/debug/pprof/heap', 'HEAD')).bytes).to.have.length(0);
  });

  for (const seconds of ['0', '301', '1.5', '-1', 'ten', '']) {
    it(`refuses seconds=${seconds}`, async () => {
      await profiler.enable(true);
      const { status, bytes } = await ask(`/debug/pprof/profile?seconds=${seconds}`);
      expect(status).to.equal(400);
      expect(bytes.toString()).to.equal(`seconds: expected a whole number from 1 to 300, got "${seconds}"\n`);
    });
  }

  it('takes a CPU profile that names what ran', async () => {
    await profiler.enable(true);
    const burning = new AbortController();
    burnSomeCpu(burning.signal);
    const { status, bytes } = await ask('/debug/pprof/profile?seconds=1').finally(() => burning.abort());
    expect(status).to.equal(200);
    expect(functionsOf(bytes)).to.include('burnSomeCpu');
    const { sampleType, stringTable, durationNanos, sample } = Profile.decode(gunzipSync(bytes));
    expect(sampleType.map(({ type }) => stringTable.strings[Number(type)])).to.deep.equal(['samples', 'cpu']);
    expect(Number(durationNanos)).to.be.within(0.9e9, 5e9);
    const total = sample.reduce((sum, { value }) => sum + Number(value[1]), 0);
    expect(total).to.be.within(0.1e9, Number(durationNanos));
  });

  it('tells what is allocated and still in use', async () => {
    await profiler.enable(true);
    const kept = allocateALot();
    const { status, headers, bytes } = await ask('/debug/pprof/heap');
    expect(kept).to.have.length(200_000);
    expect(status).to.equal(200);
    expect(headers['content-disposition']).to.equal('attachment; filename="heap.pb.gz"');
    expect(functionsOf(bytes)).to.include('allocateALot');
  });

  it('takes one CPU profile at a time, and lets go of one whose reader left', async () => {
    await profiler.enable(true);
    const reader = get(`${base}/debug/pprof/profile?seconds=300`);
    reader.on('error', () => {});
    await underWay();
    const { status, bytes } = await ask('/debug/pprof/profile?seconds=1');
    expect(status).to.equal(429);
    expect(bytes.toString()).to.equal('another CPU profile is under way: one at a time\n');
    expect((await ask('/debug/pprof/heap')).status).to.equal(200);
    reader.destroy();
    for (let answer = 429; answer !== 200; ) answer = (await ask('/debug/pprof/profile?seconds=1')).status;
  });

  it('ends a profile under way at once when it is disabled', async () => {
    await profiler.enable(true);
    const answer = ask('/debug/pprof/profile?seconds=300');
    await underWay();
    await profiler.enable(false);
    const { status, bytes } = await answer;
    expect([status, bytes.toString()]).to.deep.equal([503, 'the profile ended early: profiling was disabled\n']);
    await profiler.enable(true);
    expect((await ask('/debug/pprof/profile?seconds=1')).status).to.equal(200);
  });

  it('ends a profile under way at once when it is closed, and listens no more', async () => {
    await profiler.enable(true);
    const answer = ask('/debug/pprof/profile?seconds=300').catch(() => ({ status: 0 }));
    await underWay();
    await profiler.close();
    expect((await answer).status).to.be.oneOf([0, 503]);
    const socket = connect(port, '127.0.0.1');
    const [error] = await once(socket, 'error');
    expect(error).to.include({ code: 'ECONNREFUSED' });
  });

  it('says in one sentence that its port is taken', async () => {
    const second = createProfiler({ host: '127.0.0.1', port, log: silentLog });
    const error = await second.open().catch((refused: unknown) => refused);
    expect(String(error)).to.match(/^Error: --profiling-port: expected a port to listen on, got \d+ at 127\.0\.0\.1: /);
  });

  it('carries out edits in their order', async () => {
    await Promise.all([profiler.enable(true), profiler.enable(false), profiler.enable(true), profiler.enable(true)]);
    expect((await ask('/debug/pprof/')).status).to.equal(200);
  });

  /** A profile of 300 s has begun once a second one is refused. */
  async function underWay(): Promise<void> {
    for (;;) {
      const second = get(`${base}/debug/pprof/profile?seconds=300`);
      second.on('error', () => {});
      const answered = await Promise.race([once(second, 'response'), once(second, 'socket').then(() => ask('/none'))]);
      second.destroy();
      if (Array.isArray(answered)) return;
    }
  }
});

function allocateALot(): { readonly index: number }[] {
  return Array.from({ length: 200_000 }, (_, index) => ({ index, text: `allocated ${index}` }));
}
