import { expect } from 'chai';
import { buildArguments, buildKey, kubernetesFlags, tools } from '../../scripts/cluster/tools.ts';

const goMod = (staging: string) =>
  [
    'module x',
    'require k8s.io/kubernetes v1.36.3',
    'replace (',
    `\tk8s.io/api => k8s.io/api ${staging}`,
    '\tk8s.io/client-go => k8s.io/client-go v0.36.3',
    ')',
  ].join('\n');

describe('tools of the real cluster', () => {
  it('stamps Kubernetes binaries with the version that go.mod requires', () => {
    const version = 'k8s.io/component-base/version';

    expect(kubernetesFlags(goMod('v0.36.3'))).to.equal(
      `-s -w -X ${version}.gitVersion=v1.36.3 -X ${version}.gitMajor=1 -X ${version}.gitMinor=36`,
    );
  });

  it('refuses staging modules of another release', () => {
    expect(() => kubernetesFlags(goMod('v0.36.2'))).to.throw(
      'expected k8s.io/api v0.36.3 beside k8s.io/kubernetes v1.36.3, got v0.36.2',
    );
  });

  it('refuses a go.mod without Kubernetes', () => {
    expect(() => kubernetesFlags('module x\n')).to.throw('expected a requirement of k8s.io/kubernetes v1, found none');
  });

  it('builds each tool from its own package and keys it by what it is made of', () => {
    for (const tool of tools) expect(buildArguments(tool)).to.include(tool.package);
    expect(new Set(tools.map(buildKey)).size).to.equal(tools.length);
  });
});
