import { optionRows } from './option-rows.ts';
import type { OptionValues } from './run-options.ts';

/** Files of which one is of no use without the other. */
const pairs = [
  ['sinkClientCertFile', 'sinkClientKeyFile'],
  ['metricsCertFile', 'metricsKeyFile'],
] as const;

type Judged = Pick<OptionValues, (typeof pairs)[number][number] | 'metricsSecure'>;

/** One sentence about the first files that are given without what belongs to them, or undefined. */
export function wrongFiles(values: Judged): string | undefined {
  for (const pair of pairs) {
    const [cert, key] = pair.map((field) => values[field]);
    if ((cert === undefined) === (key === undefined)) continue;
    const [a, b] = pair.map((field) => `--${optionRows[field].key}`);
    return `${a} and ${b}: expected both or neither, got ${cert === undefined ? b : a} alone`;
  }
  if (values.metricsCertFile === undefined || values.metricsSecure) return undefined;
  return `--${optionRows.metricsCertFile.key}: expected --metrics-secure true beside it, got false`;
}
