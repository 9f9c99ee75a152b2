import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { describeKeys, type KeyDescription } from '../../config/describe-keys.ts';
import { envName } from '../../config/process/env-name.ts';
import { optionRows } from '../../config/process/option-rows.ts';
import { parseProcessOptions } from '../../config/process-options.ts';
import { type FieldRow, fieldRows } from '../../config/row.ts';
import { mapNames } from '../../config/settings.ts';
import { profiles } from '../../lib/profile.ts';

const page = readFileSync('docs/configuration.md', 'utf8');

/** The rows of the table below a heading, its header left out. */
function tableUnder(heading: string): readonly string[] {
  const section = page.split(`\n### ${heading}\n`)[1]?.split(/\n##/)[0] ?? '';
  return section.split('\n').filter((line) => line.startsWith('| `'));
}

const cell = (text: string) => text.replaceAll('|', '\\|');
const code = (text: string) => (text === '' ? 'none' : `\`${text}\``);
const effect = 'within 2 s';

/** Empty is a value where a level is asked for, and no value elsewhere. */
const defaultOf = (row: Pick<KeyDescription, 'default' | 'allowed'>) =>
  row.default === '' && row.allowed.includes('"" (empty)') ? '`""`' : code(row.default);

const keyLine = (row: KeyDescription) =>
  `| \`${row.key}\` | ${defaultOf(row)} | ${cell(row.allowed)} | ${row.doc} | ${effect} |`;

const optionLine = ({ key, format, doc, ...row }: FieldRow) =>
  `| \`--${key}\` | \`${envName(key)}\` | ${code(row.default)} | ${cell(format.expected)} | ${doc} |`;

describe('docs/configuration.md', () => {
  for (const name of mapNames) {
    it(`has the keys of ${name} as they are read`, () => {
      const keys = describeKeys(profiles.svc).filter(({ map }) => map === name);
      expect(tableUnder(name)).to.deep.equal(keys.map(keyLine));
    });
  }

  it('says of every key what an edit keeps, and names specs that are there', () => {
    const rows = tableUnder('What an edit keeps').map((line) => line.split(' | '));
    const keys = rows.flatMap(([first = '']) => [...first.matchAll(/`([^`]+)`/g)].map(([, key]) => key));
    expect(keys.toSorted()).to.deep.equal(
      describeKeys(profiles.svc)
        .map(({ key }) => key)
        .toSorted(),
    );
    const specs = rows.flatMap((cells) =>
      [...(cells.at(-1) ?? '').matchAll(/`([^`]+)`/g)].map(([, file = '']) => file),
    );
    expect(specs.length).to.be.at.least(rows.length);
    expect(specs.filter((file) => !existsSync(file))).to.deep.equal([]);
  });

  it('has the options of the process as they are read', () => {
    expect(tableUnder('Every option')).to.deep.equal(fieldRows(optionRows).map(optionLine));
  });

  it('shows an options file that works', () => {
    const [, text = ''] = /```yaml\n# options.yaml\n([^`]*)```/.exec(page) ?? [];
    const parsed = parseProcessOptions({ argv: ['--config', 'f'], env: {}, readFile: () => text, bare: 'sandbox' });
    expect(parsed).to.deep.nested.include({ command: 'run', 'options.watchNamespaces': ['team-a', 'team-b'] });
  });
});
