import { type Exemplar, type Exemplars, formatExemplar } from './exemplar.ts';

/** The two ways to write metrics: Prometheus text 0.0.4 and OpenMetrics 1.0. */
export const formats = ['text', 'openmetrics'] as const;

export type Format = (typeof formats)[number];

/** The `Content-Type` of each. */
export const contentTypes: Readonly<Record<Format, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** What ends an exposition: OpenMetrics tells a whole one from a torn one by it. */
export const endings: Readonly<Record<Format, string>> = { text: '', openmetrics: '# EOF\n' };

/** What a metric is, without its values. */
interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
}

/** One line's worth: `name` where it differs from the family's (`_bucket`, `_sum`, `_count`). */
export interface Line {
  readonly name?: string | undefined;
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  readonly value: number;
}

const total = '_total';
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '"': '\\"' };
const escaped = (text: string) => text.replace(/[\\\n"]/g, (character) => escapes[character] ?? character);

/** A label's value, fit to stand between double quotes. */
function escapeLabelValue(value: string): string {
  // Nearly no value needs it, and a test is cheaper than a replacement.
  return /[\\\n"]/.test(value) ? escaped(value) : value;
}

/** A number as both formats write it: `NaN`, `+Inf`, `-Inf`, else the shortest decimal. */
export function formatValue(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  return String(value);
}

/** A bucket's bound: OpenMetrics wants a float (`10.0`) where text has always said `10`. */
export function formatBound(bound: number, format: Format): string {
  const text = formatValue(bound);
  return format === 'openmetrics' && /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** Labels as they stand between the braces, '' for none; undefined values are left out. */
export function formatLabels(labels: Line['labels']): string {
  let text = '';
  for (const name in labels) {
    const value = labels[name];
    if (value === undefined) continue;
    if (text !== '') text += ',';
    text += `${name}="${escapeLabelValue(String(value))}"`;
  }
  return text;
}

/** A family's HELP and TYPE lines. An OpenMetrics counter's family has no `_total`; its samples do. */
export function formatHeader({ name, type, help }: Family, format: Format): string {
  const text = format === 'text';
  const family = !text && type === 'counter' && name.endsWith(total) ? name.slice(0, -total.length) : name;
  const sentence = text ? help.replace(/[\\\n]/g, (character) => escapes[character] ?? character) : escaped(help);
  return `# HELP ${family} ${sentence}\n# TYPE ${family} ${type}\n`;
}

/** One sample's line. */
export function formatLine({ name, type }: Family, line: Line, format: Format): string {
  const own = line.name ?? name;
  const sample = format === 'openmetrics' && type === 'counter' && !own.endsWith(total) ? `${own}${total}` : own;
  const labels = formatLabels(withBound(line.labels, format));
  return labels === '' ? `${sample} ${formatValue(line.value)}\n` : `${sample}{${labels}} ${formatValue(line.value)}\n`;
}

function withBound(labels: Line['labels'], format: Format): Line['labels'] {
  if (typeof labels.le !== 'number') return labels;
  const { le, ...rest } = labels;
  return { ...rest, le: formatBound(le, format) };
}

/** One label set of a histogram: how many observations each bucket has, not yet added up. */
export interface HistogramSeries {
  readonly labels: Line['labels'];
  readonly bucketValues: Readonly<Record<string, number>>;
  readonly sum: number;
  readonly count: number;
}

/**
 * Writes one label set of a histogram after the other: cumulative buckets, `+Inf`, sum and count.
 *
 * In OpenMetrics a bucket ends with its exemplar, where it has one.
 *
 * The parts that all label sets share are made once: at 100,000 lines that is most of the work.
 */
export function histogramWriter(
  name: string,
  bounds: readonly number[],
  format: Format,
): (series: HistogramSeries, exemplars?: Exemplars) => string {
  const tails = bounds.map((bound) => ({ bound, text: `le="${formatBound(bound, format)}"} ` }));
  return ({ labels, bucketValues, sum, count }, given) => {
    const exemplars = format === 'openmetrics' ? given : undefined;
    const inner = formatLabels(labels);
    const open = `${name}_bucket{${inner}${inner === '' ? '' : ','}`;
    const braced = inner === '' ? '' : `{${inner}}`;
    let text = '';
    let below = 0;
    for (const tail of tails) {
      below += bucketValues[tail.bound] ?? 0;
      text += `${open}${tail.text}${below}${behind(exemplars?.get(tail.bound))}\n`;
    }
    text += `${open}le="+Inf"} ${count}${behind(exemplars?.get(Number.POSITIVE_INFINITY))}\n`;
    return `${text}${name}_sum${braced} ${formatValue(sum)}\n${name}_count${braced} ${count}\n`;
  };
}

const behind = (exemplar: Exemplar | undefined) => (exemplar === undefined ? '' : formatExemplar(exemplar));
