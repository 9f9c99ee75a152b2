import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseProcessOptions } from '../../../config/process-options.ts';
import { cleanup } from '../../../streams/wiring/cleanup.ts';
import { type KubeServer, serveKube } from '../../support/kube-server.ts';

const lease = '/apis/coordination.k8s.io/v1/namespaces/svc-pipelines/leases/svc-pipelines-controller';
const settings = '/api/v1/namespaces/svc-pipelines/configmaps/svc-pipelines-controller-last-good';

describe('cleanup', () => {
  let dir: string;
  let server: KubeServer | undefined;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'spec-cleanup-'));
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
    rmSync(dir, { recursive: true });
  });

  const run = async (...argv: readonly string[]) => {
    const parsed = parseProcessOptions({ argv, env: {}, readFile: () => '', bare: 'sandbox' });
    if (!('options' in parsed)) return expect.fail('expected options');
    if (parsed.command !== 'run') return expect.fail(`expected run, got ${parsed.command}`);
    const [printed, complaints]: [string[], string[]] = [[], []];
    const code = await cleanup(parsed.options, {
      print: (line) => void printed.push(line),
      complain: (line) => void complaints.push(line),
    });
    return { code, printed: printed.toSorted(), complaints: complaints.toSorted() };
  };

  /** Cleans up as a process of its own, which alone may have another environment. */
  const runProcess = (env: Readonly<Record<string, string>>) =>
    new Promise<{ readonly code: unknown; readonly stdout: string; readonly stderr: string }>((resolve) => {
      const { KUBECONFIG: _, KUBERNETES_SERVICE_PORT: __, ...rest } = process.env;
      const argv = ['streams/main.ts', 'cleanup', '--sandbox=false'];
      execFile(process.execPath, argv, { env: { ...rest, ...env } }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stdout, stderr }),
      );
    });

  /** Cleans up at a server that answers deletions of the Lease and of the settings with these codes. */
  const runAgainst = async (codes: { readonly lease: number; readonly settings: number }) => {
    server = await serveKube({
      answer: (request, response) => {
        const code = (request.url ?? '').includes('/leases/') ? codes.lease : codes.settings;
        const body = {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: code < 300 ? 'Success' : 'Failure',
          code,
        };
        response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      },
    });
    const file = join(dir, 'kubeconfig');
    const named = (name: string, rest: object) => [{ name, ...rest }];
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      contexts: named('c', { context: { cluster: 'c', user: 'c' } }),
      clusters: named('c', { cluster: { server: server.url } }),
      users: named('c', { user: {} }),
    };
    writeFileSync(file, JSON.stringify(config));
    return run(`--kubeconfig=${file}`);
  };

  it('has nothing to do in the sandbox', async () => {
    expect(await run('--sandbox')).to.deep.equal({ code: 0, printed: ['the sandbox keeps nothing'], complaints: [] });
  });

  it('deletes the Lease and the last good settings', async () => {
    const { code, printed, complaints } = await runAgainst({ lease: 200, settings: 200 });
    expect(server?.requests.map(({ method, url }) => `${method} ${url}`).toSorted()).to.deep.equal([
      `DELETE ${settings}`,
      `DELETE ${lease}`,
    ]);
    expect(complaints).to.deep.equal([]);
    expect(printed).to.deep.equal([
      'ConfigMap svc-pipelines/svc-pipelines-controller-last-good is deleted',
      'Lease svc-pipelines/svc-pipelines-controller is deleted',
    ]);
    expect(code).to.equal(0);
  });

  it('is content when somebody else deleted one', async () => {
    const { code, printed } = await runAgainst({ lease: 404, settings: 200 });
    expect(printed).to.include('Lease svc-pipelines/svc-pipelines-controller was not there');
    expect(code).to.equal(0);
  });

  it('fails when one may not be deleted, and deletes the other', async () => {
    const { code, printed, complaints } = await runAgainst({ lease: 200, settings: 403 });
    expect(code).to.equal(1);
    expect(printed).to.deep.equal(['Lease svc-pipelines/svc-pipelines-controller is deleted']);
    expect(complaints).to.have.length(1);
    expect(complaints[0]).to.match(
      /^ConfigMap svc-pipelines\/svc-pipelines-controller-last-good could not be deleted: ./,
    );
  });

  it('fails where the environment of a pod is not complete', async () => {
    const { code, stdout, stderr } = await runProcess({ KUBERNETES_SERVICE_HOST: '127.0.0.1' });
    expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
    expect(stderr).to.match(/^no API server: expected --kubeconfig/);
  });

  it('fails otherwise where there is no cluster', async () => {
    const { code, printed, complaints } = await run(`--kubeconfig=${join(dir, 'none')}`);
    expect({ code, printed }).to.deep.equal({ code: 2, printed: [] });
    expect(complaints).to.have.length(1);
    expect(complaints[0]).to.include('none');
  });
});
