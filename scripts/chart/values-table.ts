import { isMap, isScalar, type Pair, parseDocument } from 'yaml';

/** One value of the chart: its path, its default as YAML on one line, and what it changes. */
interface ChartValue {
  readonly path: string;
  readonly default: string;
  readonly doc: string;
}

/** The values that `values.yaml` explains by a `# --` comment, in its order. */
export function chartValues(text: string): readonly ChartValue[] {
  const { contents } = parseDocument(text);
  if (!isMap(contents)) throw new Error('values.yaml: expected a mapping');
  return contents.items.flatMap((pair) => valuesOf(pair, '', true));
}

function valuesOf({ key, value }: Pair, prefix: string, first: boolean): readonly ChartValue[] {
  if (!isScalar(key)) return [];
  const path = `${prefix}${String(key.value)}`;
  const doc = docOf(key.commentBefore ?? '');
  if (doc !== undefined) return [{ path, default: JSON.stringify(toPlain(value)), doc }];
  if (!isMap(value)) throw new Error(`values.yaml: expected a comment that begins with "# --" before ${path}`);
  // The parser hands the comment before a mapping's first key to the mapping.
  return value.items.flatMap((pair, index) => {
    if (index === 0 && value.commentBefore && isScalar(pair.key)) pair.key.commentBefore ??= value.commentBefore;
    return valuesOf(pair, `${path}.`, first);
  });
}

function toPlain(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'toJSON' in value
    ? (value as { toJSON(): unknown }).toJSON()
    : value;
}

function docOf(comment: string): string | undefined {
  const [, doc] = / -- ([\s\S]*)$/.exec(comment) ?? [];
  return doc
    ?.split('\n')
    .map((line) => line.trim())
    .join(' ');
}

/** The values as a table in Markdown. */
export function valuesTable(values: readonly ChartValue[]): string {
  const rows = values.map(
    ({ path, default: value, doc }) => `| \`${path}\` | \`${value}\` | ${doc.replaceAll('|', '\\|')} |`,
  );
  return ['| value | default | what it changes |', '|---|---|---|', ...rows].join('\n');
}
