import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { request } from 'undici';
import { stringify } from 'yaml';
import { startProcess } from '../support/controller-process.ts';
import { startSink } from '../support/sink.ts';
import { argsFor, startWorld, type World } from '../support/world.ts';

const freePorts = ['--metrics-port', '0', '--health-port', '0', '--profiling-port', '0'];

/** Runs it to its end; the exit code and every line that it wrote. */
async function run(
  ...args: readonly string[]
): Promise<{ code: number | null; stdout: string; stderr: readonly string[] }> {
  const process = startProcess(args);
  const code = await process.ended;
  return { code, stdout: process.stdout(), stderr: process.lines.map(({ msg }) => msg) };
}

describe('command line', () => {
  let world: World;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'spec-command-line-'));
    world = await startWorld();
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await world.close();
  });

  /** Writes a config map as YAML; the file's path. */
  function mapFile(name: string, data: Readonly<Record<string, string>>): string {
    const file = join(folder, `${name}-${Object.values(data).join('-').replaceAll(/\W/g, '')}.yaml`);
    writeFileSync(file, stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }));
    return file;
  }

  it('--help prints every flag with its default, exit 0', async () => {
    const { code, stdout } = await run('--help');
    expect(code).to.equal(0);
    const defaults = [
      'profile=svc',
      'metrics-port=9090',
      'health-port=8080',
      'profiling-port=8008',
      'leader-elect=true',
    ];
    for (const one of [...defaults, 'kubeconfig', 'watch-namespace', 'data-dir']) {
      expect(stdout).to.match(new RegExp(`^ +--${one}$`, 'm'));
    }
  });

  it('--version prints the version of the package, exit 0', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(await run('--version')).to.deep.equal({ code: 0, stdout: `${version}\n`, stderr: [] });
  });

  it('check-config says ok of good config maps, exit 0', async () => {
    const files = [mapFile('config-events', { sink: 'http://sink.example/' }), mapFile('feature-flags', {})];
    const { code, stdout } = await run('check-config', ...files);
    expect(stdout).to.equal(`${files[0]}: config-events: ok\n${files[1]}: feature-flags: ok\n`);
    expect(code).to.equal(0);
  });

  it('check-config names every problem of every file at once, exit 1', async () => {
    const observability = mapFile('config-observability', {
      'metrics.taskrun.level': 'pod',
      'tracing-sampling-rate': '2',
    });
    const events = mapFile('config-events', { formats: '' });
    const { code, stdout } = await run('check-config', observability, events);
    expect(stdout.trimEnd().split('\n')).to.deep.equal([
      `${observability}: config-observability: metrics.taskrun.level: expected taskrun | task | namespace, got "pod"`,
      `${observability}: config-observability: tracing-sampling-rate: expected a decimal from 0.0 to 1.0, got "2"`,
      `${events}: config-events: formats: expected a comma-separated list of svcv1, got ""`,
    ]);
    expect(code).to.equal(1);
  });

  const wrong: readonly { args: readonly string[]; sentence: RegExp }[] = [
    { args: ['--metrics-prt', '1'], sentence: /^--metrics-prt: unknown flag, did you mean --metrics-port\?$/ },
    { args: ['--metrics-port', 'x'], sentence: /^--metrics-port: expected a port from 0 to 65535, got "x"$/ },
    { args: ['strat'], sentence: /^strat: unknown command/ },
    {
      args: ['--sandbox=false'],
      sentence: /^expected --kubeconfig FILE, --sandbox, KUBECONFIG or a pod in a cluster, got none/,
    },
    {
      args: ['--kubeconfig', '/nowhere/kubeconfig'],
      sentence: /^kubeconfig \/nowhere\/kubeconfig: expected a readable file/,
    },
  ];

  for (const { args, sentence } of wrong) {
    it(`${args.join(' ')} is answered by one sentence, exit 2`, async () => {
      const { code, stdout, stderr } = await run(...args);
      expect(code).to.equal(2);
      expect(stdout).to.equal('');
      expect(stderr).to.have.lengthOf(1);
      expect(stderr[0]).to.match(sentence);
    });
  }

  for (const server of ['metrics', 'health', 'profiling']) {
    it(`a ${server} port that is in use is answered by one sentence, exit 2`, async () => {
      const busy = await startSink();
      const { port } = new URL(busy.url);
      const where = ['--bind-address', '127.0.0.1', `--${server}-port`, port];
      const { code, stderr } = await run(...argsFor(world.server, world.namespace), ...where);
      await busy.close();
      expect(stderr.at(-1)).to.equal(
        `--${server}-port: expected a port to listen on, got ${port} at 127.0.0.1: something else listens there`,
      );
      expect(code).to.equal(2);
    });
  }

  it('a port that is in use ends the sandbox too, exit 2', async () => {
    const busy = await startSink();
    const { code, stderr } = await run('--sandbox', ...freePorts, '--metrics-port', new URL(busy.url).port);
    await busy.close();
    expect(stderr.at(-1)).to.match(/^--metrics-port: expected a port to listen on, got/);
    expect(code).to.equal(2);
  });

  it('--sandbox shows events, serves metrics, and ends with exit 0 on SIGTERM', async () => {
    const sandbox = startProcess(['--sandbox', '--sandbox-print', 'always', '--log-level', 'debug', ...freePorts]);
    const { metricsPort } = await sandbox.logged(({ msg }) => msg === 'listening');
    await sandbox.printed(/taskrun\.started/);
    const { statusCode, body } = await request(`http://127.0.0.1:${metricsPort}/metrics`);
    expect(statusCode).to.equal(200);
    expect(await body.text()).to.match(/^svc_pipelines_controller_running_taskruns [1-9]/m);
    expect(await sandbox.stop()).to.equal(0);
  });

  it('a bare npm start is the sandbox, whatever KUBECONFIG says', async () => {
    const env = { KUBECONFIG: '/nowhere/kubeconfig', CONTROLLER_OPTION_SANDBOX_PRINT: 'always' };
    const bare = startProcess(freePorts, env, 'streams/main.ts');
    await bare.printed(/taskrun\.started/);
    expect(await bare.stop('SIGINT')).to.equal(0);
  });

  it('the sandbox is quiet where nobody looks, and works all the same', async () => {
    const sandbox = startProcess(['--sandbox', ...freePorts]);
    const { metricsPort } = await sandbox.logged(({ msg }) => msg === 'listening');
    let page = '';
    while (!/event_deliveries_total [1-9]/.test(page)) {
      page = await (await request(`http://127.0.0.1:${metricsPort}/metrics`)).body.text();
    }
    expect(sandbox.stdout()).to.equal('');
    expect(await sandbox.stop()).to.equal(0);
  });

  it('SIGTERM ends it with exit 0, its Lease given up', async () => {
    const other = await world.server.freshNamespace();
    const controller = startProcess(argsFor(world.server, other));
    await controller.logged(({ msg }) => msg === 'synced');
    expect(await controller.stop()).to.equal(0);
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${other}/leases`;
    const { json } = await world.server.request('GET', `${leases}/svc-pipelines-controller`);
    expect((json.spec as { holderIdentity?: string }).holderIdentity ?? '').to.equal('');
  });

  it('a second signal ends it at once', async () => {
    world.sink.answer = () => {};
    const run = await world.create('TaskRun', 'unanswered');
    await run.condition('True/Succeeded/');
    await run.told('successful');
    const begun = performance.now();
    world.controller.child.kill('SIGTERM');
    world.controller.child.kill('SIGINT');
    expect(await world.controller.ended).to.equal(1);
    expect(performance.now() - begun).to.be.lessThan(5000);
  });
});
