import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mapNames } from '../../config/settings.ts';
import { admissionPolicy } from './admission-policy.ts';
import { configSchema } from './config-schema.ts';
import { examples } from './examples.ts';
import { chartValues, valuesTable } from './values-table.ts';

const root = join(import.meta.dirname, '../..');

/** The chart's folder. */
export const chartDir = join(root, 'charts/svc-pipelines-controller');

/** Every file of which a part is written by code: its path, and the text it should have now. */
export function generated(): ReadonlyMap<string, string> {
  const texts = examples();
  return new Map([
    [join(chartDir, 'templates/admission-policy.yaml'), admissionPolicy()],
    [join(chartDir, 'values.schema.json'), withConfig(read('values.schema.json'))],
    ...mapNames.map((map) => [join(chartDir, `files/example-${map}.yaml`), texts[map]] as const),
    [join(root, 'docs/install.md'), withTable(readFileSync(join(root, 'docs/install.md'), 'utf8'))],
  ]);
}

const read = (file: string) => readFileSync(join(chartDir, file), 'utf8');

/** The schema with the part about the config maps written anew. */
function withConfig(text: string): string {
  const schema = JSON.parse(text);
  Object.assign(schema.properties.config.properties, {
    observability: configSchema('config-observability', true),
    events: configSchema('config-events', true),
    defaults: configSchema('config-defaults', false),
    featureFlags: configSchema('feature-flags', false),
  });
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** The page with its table of values written anew, between the two comments that mark its place. */
function withTable(page: string): string {
  const [begin, end] = ['<!-- values: begin -->', '<!-- values: end -->'];
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`docs/install.md: expected ${begin} and ${end}`);
  return `${before}${begin}\n${valuesTable(chartValues(read('values.yaml')))}\n${end}${after}`;
}
