type PrometheusType = 'counter' | 'gauge' | 'histogram';

/** The first row whose pattern fits a name tells its unit (UCUM). */
const units: readonly { readonly name: RegExp; readonly unit: string }[] = [
  { name: /_seconds(_total)?$/, unit: 's' },
  { name: /_bytes(_total)?$/, unit: 'By' },
  { name: /_client_latency$/, unit: 'ms' },
  { name: /_ratio$/, unit: '1' },
];

/**
 * The unit that a metric's Prometheus name implies.
 *
 * A gauge that counts things has none: `1` would make Prometheus, reading OTLP, put `_ratio` behind its name.
 */
export function unitOf(name: string, type: PrometheusType): string {
  return units.find((row) => row.name.test(name))?.unit ?? (type === 'counter' ? '1' : '');
}
