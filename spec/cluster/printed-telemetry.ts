/** What a collector's debug exporter printed, by its own names of fields. */

/** The last value of each sample, named as a scrape names it: `taskrun_total{status="success"}` and its number. */
export function printedSamples(said: string): ReadonlyMap<string, number> {
  const samples = new Map<string, number>();
  // A request of its own begins with its resource, whose attributes are no labels.
  for (const metric of said.split(/^(?:Metric #\d+$|ResourceMetrics #)/m).slice(1)) {
    const name = /-> Name: (.*)/.exec(metric)?.[1] ?? '';
    for (const point of metric.split(/^(?:Number|Histogram)DataPoints #\d+$/m).slice(1)) {
      for (const [sample, value] of samplesOf(name, point)) samples.set(sample, value);
    }
  }
  return samples;
}

function* samplesOf(name: string, point: string): Generator<[string, number]> {
  const labels = Object.fromEntries(
    [...point.matchAll(/^ +-> (\S+): Str\((.*)\)$/gm)].map(([, key, text]) => [key, text]),
  );
  const number = (field: string) => Number(new RegExp(`^${field}: (\\S+)$`, 'm').exec(point)?.[1]);
  if (/^Value: /m.test(point)) {
    yield [sampleName(name, labels), number('Value')];
    return;
  }
  const bounds = [...point.matchAll(/^ExplicitBounds #\d+: (\S+)$/gm)].map(([, bound]) => String(Number(bound)));
  const counts = [...point.matchAll(/^Buckets #\d+, Count: (\d+)$/gm)].map(([, count]) => Number(count));
  let below = 0;
  for (const [index, count] of counts.entries()) {
    below += count;
    yield [sampleName(`${name}_bucket`, { ...labels, le: bounds[index] ?? '+Inf' }), below];
  }
  yield [sampleName(`${name}_sum`, labels), number('Sum')];
  yield [sampleName(`${name}_count`, labels), number('Count')];
}

/** A scrape in text format as the same kind of map. */
export function scrapedSamples(text: string): ReadonlyMap<string, number> {
  const samples = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, name, inside = '', value] = /^([a-z_]\w*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const labels = Object.fromEntries([...inside.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, label]) => [key, label]));
    samples.set(sampleName(name, labels), Number(value));
  }
  return samples;
}

function sampleName(name: string, labels: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
  return `${name}{${pairs.toSorted().join()}}`;
}

interface PrintedSpan {
  readonly id: string;
  readonly parent: string;
  readonly startMs: number;
  readonly lines: readonly string[];
}

/** The span trees that were printed, a line a span and its events and attributes, indented; ids and clock left out. */
export function printedTrees(said: string): string {
  const spans = said
    .split(/^Span #\d+$/m)
    .slice(1)
    .map(readSpan);
  const known = new Set(spans.map(({ id }) => id));
  const under = (parent: string): PrintedSpan[] =>
    spans
      .filter((span) => (parent === '' ? !known.has(span.parent) : span.parent === parent))
      .toSorted((a, b) => a.startMs - b.startMs || (a.lines[0] ?? '').localeCompare(b.lines[0] ?? ''));
  const draw = (span: PrintedSpan, indent: string): string[] => [
    ...span.lines.map((line) => `${indent}${line}`),
    ...under(span.id).flatMap((child) => draw(child, `${indent}  `)),
  ];
  return `${under('')
    .flatMap((root) => draw(root, ''))
    .join('\n')}\n`;
}

const shownAttributes = /^(run\.(kind|reason)|cicd\.pipeline\.(name|result|task\.run\.result)|process\.exit\.code)$/;

function readSpan(text: string): PrintedSpan {
  const field = (name: string) => new RegExp(`^ +${name} *: ?(.*)$`, 'm').exec(text)?.[1]?.trim() ?? '';
  const time = (name: string) => Date.parse(field(name).replace(' +0000 UTC', 'Z').replace(' ', 'T'));
  const [startMs, endMs] = [time('Start time'), time('End time')];
  const own = text.split(/^(?:Events|Links|ResourceSpans|ScopeSpans)\b/m);
  const events = [...text.matchAll(/^ +-> Name: (.*)$/gm)].map(([, name]) => name);
  const attributes = [...(own[0] ?? '').matchAll(/^ +-> (\S+): (?:Str|Int)\((.*)\)$/gm)]
    .filter(([, key = '']) => shownAttributes.test(key))
    .map(([, key, value]) => `- ${key}: ${value}`);
  const status = `${field('Status code')}${field('Status message') && `: ${field('Status message')}`}`;
  const title = `${field('Name')} ${(endMs - startMs) / 1000}s ${status}`;
  const happened = events.length > 0 ? [`- events: ${events.join(', ')}`] : [];
  return {
    id: field('ID'),
    parent: field('Parent ID'),
    startMs,
    lines: [title, ...attributes.toSorted(), ...happened],
  };
}
