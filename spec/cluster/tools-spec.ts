import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { kubernetesFlags, releases } from '../../scripts/cluster/kubernetes.ts';
import { buildArguments, buildKey, keyFileOf, tools } from '../../scripts/cluster/tools.ts';

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

  it('builds each tool of each release from its own package, to a place of its own, keyed by what it is made of', () => {
    const [first, ...others] = releases.map(({ minor }) => tools(minor));
    const all = [...(first ?? []), ...others.flat().filter(({ folder }) => folder !== 'bin')];

    for (const tool of all) expect(buildArguments(tool)).to.include(tool.package);
    for (const each of [buildKey, keyFileOf, (tool: (typeof all)[number]) => buildArguments(tool)[2]]) {
      expect(new Set(all.map(each)).size).to.equal(6);
    }
  });

  it('refuses a release that is not pinned', () => {
    const minors = releases.map(({ minor }) => minor).join(' | ');

    expect(() => tools('1.29')).to.throw(`KUBERNETES: expected ${minors}, got "1.29"`);
  });

  it('the oldest release is the one that the chart and the documents promise', () => {
    const { minor: oldest = '' } = releases.at(-1) ?? {};
    const chart = parse(readFileSync('charts/svc-pipelines-controller/Chart.yaml', 'utf8'));

    expect(chart.kubeVersion).to.equal(`>=${oldest}.0-0`);
    for (const page of ['README.md', 'docs/install.md']) {
      expect(readFileSync(page, 'utf8')).to.include(`Kubernetes ${oldest} or newer`).and.include(releases[0]?.minor);
    }
  });

  it('no version stands in a script, where nobody who renews versions looks', () => {
    for (const script of ['build', 'kubernetes', 'otelcol', 'tools']) {
      expect(readFileSync(`scripts/cluster/${script}.ts`, 'utf8')).not.to.match(/@v\d/);
    }
  });

  it('builds a collector of the release that its builder is of', () => {
    const [, pinned] =
      /collector\/cmd\/builder (v\S+)/.exec(readFileSync('tools/cluster/otelcol/go.mod', 'utf8')) ?? [];
    const { dist, receivers, exporters } = parse(readFileSync('tools/cluster/otelcol/builder.yaml', 'utf8'));

    expect(`v${dist.version}`).to.equal(pinned);
    for (const { gomod } of [...receivers, ...exporters]) expect(gomod.split(' ')[1]).to.equal(pinned);
  });
});
