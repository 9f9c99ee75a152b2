import { expect } from 'chai';
import { binaryOf } from '../../scripts/cluster/tools.ts';
import { type CommandOptions, runCommand } from './run-command.ts';
import { sharedCluster } from './suite.ts';

const runs = '/apis/svc.dev/v1/namespaces/default/taskruns';

const taskRun = (name: string) => ({
  apiVersion: 'svc.dev/v1',
  kind: 'TaskRun',
  metadata: { name },
  spec: { taskRef: { name: 'build' } },
});

function kubectl(args: readonly string[], kubeconfigFile = sharedCluster().kubeconfigFile, options?: CommandOptions) {
  return runCommand(binaryOf('kubectl'), [`--kubeconfig=${kubeconfigFile}`, ...args], options);
}

describe('the real cluster', () => {
  it('lists all three kinds of run', async () => {
    const { code, stderr } = await kubectl(['get', 'taskruns,pipelineruns,customruns', '--namespace=kube-public']);

    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: 'No resources found in kube-public namespace.\n' });
  });

  it('says which release it is', async () => {
    const { stdout } = await kubectl(['version', '--output=json']);
    const { clientVersion, serverVersion } = JSON.parse(stdout);

    expect(serverVersion.gitVersion).to.match(/^v1\.\d+\.\d+$/);
    expect(clientVersion.gitVersion).to.equal(serverVersion.gitVersion);
  });

  it('prints the condition of a run', async () => {
    const { ask } = sharedCluster();
    const { body: created } = await ask('POST', runs, taskRun('printed'));
    const status = { conditions: [{ type: 'Succeeded', status: 'Unknown', reason: 'Running' }] };
    await ask('PUT', `${runs}/printed/status`, { ...(created as object), status });

    const { stdout } = await kubectl(['get', 'taskruns', 'printed']);
    await ask('DELETE', `${runs}/printed`);

    const [titles, values] = stdout.split('\n').map((line) => line.trim().split(/\s+/));
    expect(titles).to.deep.equal(['NAME', 'SUCCEEDED', 'REASON', 'STARTTIME', 'COMPLETIONTIME']);
    expect(values).to.deep.equal(['printed', 'Unknown', 'Running']);
  });

  it('refuses a service account without rights', async () => {
    const cluster = sharedCluster();
    const token = await cluster.tokenFor({ namespace: 'default', name: 'nobody' });

    const { code, stderr } = await kubectl(['get', 'taskruns'], cluster.kubeconfigFor(token));

    expect(code).to.equal(1);
    expect(stderr).to.contain(
      'taskruns.svc.dev is forbidden: User "system:serviceaccount:default:nobody" cannot list resource "taskruns"',
    );
  });

  it('lets a service account do what it was granted', async () => {
    const cluster = sharedCluster();
    const token = await cluster.tokenFor({ namespace: 'default', name: 'reader' });
    const grants = [
      ['create', 'role', 'reader', '--verb=list', '--resource=taskruns.svc.dev'],
      ['create', 'rolebinding', 'reader', '--role=reader', '--serviceaccount=default:reader'],
    ];
    for (const grant of grants) await kubectl(grant);

    const { code } = await kubectl(['get', 'taskruns'], cluster.kubeconfigFor(token));

    expect(code).to.equal(0);
  });

  for (const restart of ['restartApiServer', 'restartEtcd'] as const) {
    it(`keeps runs through ${restart}, even when the server is killed`, async () => {
      const cluster = sharedCluster();
      const before = await cluster.ask('POST', runs, taskRun('kept'));

      await cluster[restart]('SIGKILL');
      const after = await cluster.ask('GET', `${runs}/kept`);
      await cluster.ask('DELETE', `${runs}/kept`);

      expect(after).to.deep.equal({ status: 200, body: before.body });
    });
  }
});
