import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type CatalogueRow, catalogue } from '../../lib/metrics/catalogue.ts';
import { type OwnMetric, ownMetrics } from '../../lib/metrics/own.ts';
import { defaultMetricsSettings, type MetricsSettings } from '../../lib/metrics/settings.ts';
import { profiles } from '../../lib/profile.ts';

const page = readFileSync('docs/metrics.md', 'utf8');

/** The rows of the table below a heading, its header left out. */
function tableUnder(heading: string): readonly string[] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split(/\n##/)[0] ?? '';
  return section.split('\n').filter((line) => line.startsWith('| `'));
}

const fewest: MetricsSettings = { ...defaultMetricsSettings, taskrunLevel: 'namespace', pipelinerunLevel: 'namespace' };
const most: MetricsSettings = {
  ...defaultMetricsSettings,
  taskrunLevel: 'taskrun',
  pipelinerunLevel: 'pipelinerun',
  runningPipelinerunLevel: 'pipelinerun',
  countEnableReason: true,
  throttleEnableNamespace: true,
};

function catalogueLine({ name, type, labels, help }: CatalogueRow): string {
  const always: readonly string[] = labels(fewest, profiles.svc);
  const all = labels(most, profiles.svc).map((label) => `\`${label}\`${always.includes(label) ? '' : '?'}`);
  const word = type === 'duration' ? 'histogram or gauge' : type;
  return `| \`${name}\` | ${word} | ${all.join(', ') || 'none'} | ${help} |`;
}

function ownLine({ name, type, labels, help }: OwnMetric): string {
  return `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ') || 'none'} | ${help} |`;
}

describe('docs/metrics.md', () => {
  it('lists the metrics of the interface as the catalogue has them', () => {
    expect(tableUnder('Runs').slice(0, catalogue.length)).to.deep.equal(catalogue.map(catalogueLine));
  });

  it("lists the controller's own metrics", () => {
    expect(tableUnder('The controller itself')).to.deep.equal(ownMetrics.map(ownLine));
  });

  it('names only metrics that exist in its queries', () => {
    const names = new Set<string>([...catalogue, ...ownMetrics].map(({ name }) => name));
    const named = [...page.matchAll(/svc_pipelines_controller_([a-z_]+)/g)].map(([, name = '']) => name);
    const strays = named.filter((name) => name !== '' && !names.has(name) && !names.has(name.replace(/_bucket$/, '')));
    expect(named.length).to.be.greaterThan(10);
    expect(strays).to.deep.equal([]);
  });

  it('gives every help as one sentence', () => {
    const helps = [...catalogue, ...ownMetrics].map(({ help }) => help);
    expect(helps.filter((help) => !/^[A-Z][^\n]*\.$/.test(help))).to.deep.equal([]);
  });
});
