import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { chartDir } from '../../../scripts/chart/generated.ts';
import { chartValues } from '../../../scripts/chart/values-table.ts';
import { releaseOf, releases } from '../../../scripts/cluster/kubernetes.ts';
import { binaryOf } from '../../../scripts/cluster/tools.ts';
import { createNamespace } from '../requests.ts';
import { runCommand } from '../run-command.ts';
import { sharedCluster } from '../suite.ts';
import { until } from '../until.ts';
import { flips, nested, valuesOf } from './support/flips.ts';
import { helm, releaseNamespace, renderText, valuesFromInput } from './support/helm.ts';
import { operatorCrds } from './support/operator-crds.ts';
import { refusals } from './support/refusals.ts';

async function dryRun(text: string): Promise<string> {
  const args = [`--kubeconfig=${sharedCluster().kubeconfigFile}`, 'apply', '--dry-run=server', '--validate=strict'];
  const { code, stdout, stderr } = await runCommand(binaryOf('kubectl'), [...args, '-f', '-'], { input: text });
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

describe('the values of the chart', () => {
  const defaults = chartValues(readFileSync(join(chartDir, 'values.yaml'), 'utf8'));
  let standard = '';

  before(async () => {
    await createNamespace(sharedCluster(), releaseNamespace);
    for (const crd of operatorCrds) {
      await sharedCluster().ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
    }
    const lists = operatorCrds.map(({ spec }) => `/apis/${spec.group}/v1/${spec.names.plural}`);
    await until(
      async () =>
        (await Promise.all(lists.map((path) => sharedCluster().ask('GET', path)))).every(
          ({ status }) => status === 200,
        ),
      { what: 'the monitoring resources to be listed' },
    );
    standard = await renderText();
  });

  after(async () => {
    for (const { metadata } of operatorCrds) {
      await sharedCluster().ask('DELETE', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${metadata.name}`);
    }
  });

  it('are all flipped below', () => {
    expect(flips.map(({ path }) => path)).to.deep.equal(defaults.map(({ path }) => path));
  });

  it('pass helm lint as they are', async () => {
    const { code, stdout } = await helm([
      'lint',
      chartDir,
      '--strict',
      '--kube-version',
      `${releases.at(-1)?.minor}.0`,
    ]);
    expect(code, stdout).to.equal(0);
  });

  it('render to what the API server accepts as they are', async () => {
    expect(await dryRun(standard)).to.contain('deployment.apps/svc-pipelines-controller created (server dry run)');
  });

  it('install by a dry run on the server, which leaves nothing', async () => {
    const args = ['install', 'dry', chartDir, '--namespace', releaseNamespace, '--dry-run=server'];
    const { code, stdout, stderr } = await helm(args);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.contain('kind: Deployment').and.not.contain('This cluster has no TaskRuns');
    const path = `/apis/apps/v1/namespaces/${releaseNamespace}/deployments/svc-pipelines-controller`;
    expect((await sharedCluster().ask('GET', path)).status).to.equal(404);
  });

  for (const flip of flips) {
    it(`change what is rendered, and the API server accepts it: ${flip.path}`, async () => {
      const values = valuesOf(flip);
      const text = await renderText(values);
      const without =
        flip.beside === undefined ? standard : await renderText(nested(withoutLast(flip.beside, flip.path)));

      expect(text).to.not.equal(without);
      await dryRun(text);
    });
  }

  describe('refused', () => {
    for (const { values, sentence } of refusals) {
      it(`with a sentence: ${JSON.stringify(values)}`, async () => {
        const { code, stderr } = await helm(
          ['template', 'spec', chartDir, '--kube-version', `${releaseOf().minor}.0`, ...valuesFromInput],
          nested(values),
        );
        expect(code).to.equal(1);
        expect(stderr).to.contain(sentence);
      });
    }
  });
});

/** What stands beside a flip, without the flipped value itself. */
function withoutLast(beside: Readonly<Record<string, unknown>>, path: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(beside).filter(([name]) => name !== path));
}
