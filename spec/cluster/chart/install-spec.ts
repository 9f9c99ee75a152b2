import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { binaryOf } from '../../../scripts/cluster/tools.ts';
import { startProcess } from '../../support/controller-process.ts';
import { createRun } from '../../support/run-on-server.ts';
import { realServer } from '../../support/server-under-test.ts';
import { type Sink, startSink } from '../../support/sink.ts';
import { type Cluster, startCluster } from '../cluster.ts';
import { runCommand } from '../run-command.ts';
import { playCleanupJob } from './support/cleanup-job.ts';
import { startInstalled } from './support/installed-controller.ts';

const namespace = 'svc-pipelines';

/** The commands of a page's shell blocks, in order. */
function commandsIn(text: string): readonly string[] {
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block.replaceAll(/\\\n\s*/g, ''));
  return blocks.flatMap((block) => block.split('\n').filter((line) => line !== ''));
}

const [, onACluster = ''] = /\n## On a cluster\n([\s\S]*?)\n## /.exec(readFileSync('README.md', 'utf8')) ?? [];
const readme = commandsIn(onACluster);
const page = commandsIn(readFileSync('docs/install.md', 'utf8'));

/** What only a cluster with nodes answers. */
const needsNodes = [/ rollout status /, /^helm test /, / port-forward /];

describe('a newcomer on a fresh cluster', () => {
  let cluster: Cluster;
  let sink: Sink;
  let home = '';

  before(async () => {
    [cluster, sink] = [await startCluster(), await startSink()];
    home = join(cluster.dir, 'home');
    mkdirSync(join(home, '.kube'), { recursive: true });
    symlinkSync(cluster.kubeconfigFile, join(home, '.kube/config'));
  });

  after(async () => {
    await sink.close();
    await cluster.stop();
  });

  /** As typed in a shell that has kubectl and helm, but with a sink that exists. */
  async function type(command: string): Promise<void> {
    const tools = ['kubectl', 'helm'].map((name) => dirname(binaryOf(name)));
    const env = { HOME: home, PATH: [...tools, process.env.PATH].join(':') };
    const typed = command.replace(/http:\/\/(my-broker\/|broker\.example\/runs)/, sink.url);
    const [{ code, stderr }] = await Promise.all([
      runCommand('sh', ['-c', typed], { env }),
      command.startsWith('helm uninstall ') ? playCleanupJob(namespace, cluster) : [],
    ]);
    expect(code, stderr).to.equal(0);
  }

  /** A run is told of at the sink by the controller as it is installed. */
  async function isTold(name: string): Promise<void> {
    const { controller } = await startInstalled(namespace, cluster);
    const server = realServer(cluster.kubeconfigFile, cluster.etcdUrl);
    const run = await createRun({ server, namespace: 'default', sink }, { kind: 'TaskRun', name });
    await run.condition('True/Succeeded/');
    await run.told('successful');
    await Promise.all([controller.stop(), server.close()]);
  }

  describe('follows docs/install.md:', () => {
    for (const command of page.filter((one) => !needsNodes.some((pattern) => pattern.test(one)))) {
      it(command, async () => {
        if (/ delete lease/.test(command)) await makeOwnObjects(cluster);
        await type(command);
        if (/ patch configmap config-events /.test(command)) await isTold('installed-by-the-page');
      });
    }

    it('of which the rest needs nodes', () => {
      expect(page.filter((one) => needsNodes.some((pattern) => pattern.test(one)))).to.have.lengthOf(3);
    });
  });

  describe('follows the README, where another release was:', () => {
    for (const command of readme.filter((one) => !one.startsWith('npm '))) it(command, () => type(command));

    it('has every run told from then on', () => isTold('installed-by-the-readme'));

    it('runs the same controller from a checkout', async () => {
      const [command = ''] = readme.filter((one) => one.startsWith('npm start -- '));
      const args = command.replace('npm start -- ', '').replaceAll('~', home).split(' ');
      const ports = ['metrics', 'health', 'profiling'].map((port) => `--${port}-port=0`);
      const controller = startProcess([...args, ...ports]);
      await controller.logged(({ msg }) => msg === 'synced');

      expect(await controller.stop()).to.equal(0);
    });
  });
});

/** What a controller leaves when its cleanup Job could not run. */
async function makeOwnObjects({ ask }: Cluster): Promise<void> {
  const lease = { metadata: { name: 'svc-pipelines-controller' }, spec: { holderIdentity: '' } };
  await ask('POST', `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`, lease);
  const map = { metadata: { name: 'svc-pipelines-controller-last-good' }, data: {} };
  await ask('POST', `/api/v1/namespaces/${namespace}/configmaps`, map);
}
