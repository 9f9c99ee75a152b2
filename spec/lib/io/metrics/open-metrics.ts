const labelSet = String.raw`(?:\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\n"])*"(?:,(?!\})|(?=\})))*\})?`;
const number = String.raw`-?\d+(?:\.\d+)?(?:e[+-]?\d+)?`;
const sampleLine = new RegExp(
  String.raw`^([a-zA-Z_:][\w:]*)(${labelSet}) (NaN|[+-]Inf|${number})( # ${labelSet} ${number} ${number})?$`,
);
const suffixes: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total'],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
};

/** Everything in a page that OpenMetrics 1.0 does not allow, one line each. */
export function problemsOf(page: string): readonly string[] {
  const problems: string[] = [];
  const families = new Map<string, string>();
  const seen = new Set<string>();
  let current = '';
  const lines = page.split('\n');
  if (!page.endsWith('# EOF\n') || lines.filter((line) => line === '# EOF').length !== 1)
    problems.push('no single EOF');
  for (const line of lines.slice(0, -2)) {
    const type = line.match(/^# TYPE (\S+) (counter|gauge|histogram)$/);
    if (type !== null) {
      current = type[1] ?? '';
      if (families.has(current)) problems.push(`family twice: ${current}`);
      families.set(current, type[2] ?? '');
      continue;
    }
    if (/^# HELP [a-zA-Z_:][\w:]* (?:[^\\"]|\\[\\n"])+$/.test(line)) continue;
    const [, name = '', labels = '', , exemplar] = line.match(sampleLine) ?? [];
    const allowed = suffixes[families.get(current) ?? ''] ?? [];
    if (!allowed.some((suffix) => name === current + suffix)) problems.push(`not of ${current}: ${line}`);
    if (seen.has(name + labels)) problems.push(`series twice: ${line}`);
    if (exemplar !== undefined && !name.endsWith('_bucket')) problems.push(`exemplar on no bucket: ${line}`);
    if (/le="\d+"/.test(labels)) problems.push(`bound is no float: ${line}`);
    seen.add(name + labels);
  }
  return problems;
}
