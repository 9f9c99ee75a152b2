import { svc } from './runs.ts';

/** One metric as a scrape shows it: what stands above its samples, and the samples themselves. */
interface ShownMetric {
  readonly type: string;
  readonly help: string;
  /** As in the text, without the prefix of section 2.3; a histogram's with their `_bucket`, `_sum` and `_count`. */
  readonly lines: readonly string[];
}

/** Every metric of section 2.3's prefix in a scrape in text format, by its name without that prefix. */
export function readScrape(text: string): ReadonlyMap<string, ShownMetric> {
  const shown = new Map<string, ShownMetric>();
  for (const part of text.split(`# HELP ${svc.metricPrefix}`).slice(1)) {
    const [help = '', type = '', ...lines] = part.trimEnd().split('\n');
    const name = help.slice(0, help.indexOf(' '));
    shown.set(name, {
      help: help.slice(name.length + 1),
      type: type.replace(`# TYPE ${svc.metricPrefix}${name} `, ''),
      // Another prefix's metric may follow before the next of ours.
      lines: lines
        .filter((line) => line.startsWith(svc.metricPrefix))
        .map((line) => line.replace(svc.metricPrefix, '')),
    });
  }
  return shown;
}

/** The samples of one metric, sorted, a histogram's buckets left out; none where the scrape does not show it. */
export function linesOf(text: string, name: string): readonly string[] {
  return (readScrape(text).get(name)?.lines ?? []).filter((line) => !line.includes('_bucket{')).toSorted();
}

/** The value of one sample, named as `linesOf` gives it; undefined where the scrape does not show it. */
export function sampleValue(text: string, sample: string): number | undefined {
  const start = `${svc.metricPrefix}${sample} `;
  const line = text.split('\n').find((one) => one.startsWith(start));
  return line === undefined ? undefined : Number(line.slice(start.length));
}
