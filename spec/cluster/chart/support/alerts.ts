import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir } from '../../../../scripts/cluster/tools.ts';
import { type Finished, runCommand } from '../../run-command.ts';
import { sharedCluster } from '../../suite.ts';
import { only, render } from './helm.ts';

// Unpacked there on a machine that lacks the Debian package.
const unpacked = join(cacheDir, 'prometheus/usr/bin/promtool');
const promtool = existsSync(unpacked) ? unpacked : 'promtool';

/** One alerting rule as the chart writes it. */
interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}

interface Rules {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Alert[] }[];
}

/** The rules that the chart renders, as the operator would hand them to Prometheus. */
export async function renderedRules(): Promise<Rules> {
  return only(await render({ prometheusRule: { enabled: true } }), 'PrometheusRule').spec as unknown as Rules;
}

/** Series over time, in Prometheus' notation, and the alerts that fire at one moment. */
export interface AlertCase {
  readonly alert: string;
  readonly series: Readonly<Record<string, string>>;
  readonly at: string;
  /** Labels of the alerts besides alertname and severity; empty: none fires. */
  readonly firing: readonly Readonly<Record<string, string>>[];
}

/** What promtool has against the rules: '' when each case comes out as it says. */
export async function promtoolVerdict(cases: readonly AlertCase[]): Promise<string> {
  const rules = await renderedRules();
  const folder = mkdtempSync(join(sharedCluster().dir, 'rules-'));
  const rulesFile = join(folder, 'rules.yaml');
  const testFile = join(folder, 'test.yaml');
  writeFileSync(rulesFile, JSON.stringify(rules));
  writeFileSync(
    testFile,
    JSON.stringify({
      rule_files: [rulesFile],
      evaluation_interval: '30s',
      tests: cases.map((one) => testOf(one, rules)),
    }),
  );
  const checked = await runCommand(promtool, ['check', 'rules', rulesFile]);
  const tested = await runCommand(promtool, ['test', 'rules', testFile]);
  rmSync(folder, { recursive: true });
  return checked.code === 0 && tested.code === 0
    ? ''
    : `${checked.stdout}${checked.stderr}${tested.stdout}${tested.stderr}`;
}

function testOf({ alert, series, at, firing }: AlertCase, { groups }: Rules) {
  const rule = groups.flatMap(({ rules }) => rules).find((one) => one.alert === alert);
  if (rule === undefined) throw new Error(`expected an alert ${alert}, found none`);
  return {
    interval: '30s',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    // promtool wants every annotation in full; those that name a value are given by the case.
    alert_rule_test: [{ eval_time: at, alertname: alert, exp_alerts: firing.map((labels) => expected(rule, labels)) }],
  };
}

function expected({ labels, annotations }: Alert, { value = '', ...own }: Readonly<Record<string, string>>) {
  const filled = Object.entries(annotations).map(([name, text]) => [name, fill(text, own, value)]);
  return { exp_labels: { ...own, severity: labels.severity }, exp_annotations: Object.fromEntries(filled) };
}

function fill(text: string, labels: Readonly<Record<string, string>>, value: string): string {
  return text
    .replace(/\{\{ \$labels\.(\w+) \}\}/g, (_, name: string) => labels[name] ?? '')
    .replace(/\{\{ \$value \| \w+ \}\}/g, value);
}

/** What promtool says of a file of rules. */
export async function checkRules(rules: unknown): Promise<Finished> {
  const folder = mkdtempSync(join(sharedCluster().dir, 'rules-'));
  const file = join(folder, 'rules.yaml');
  writeFileSync(file, JSON.stringify(rules));
  const finished = await runCommand(promtool, ['check', 'rules', file]);
  rmSync(folder, { recursive: true });
  return finished;
}

/** Names of metrics in a PromQL text, without the prefix and without a histogram's suffix. */
export function metricsIn(text: string, prefix: string): readonly string[] {
  const names = [...text.matchAll(new RegExp(`${prefix}(\\w+)`, 'g'))].map(([, name = '']) => name);
  return [...new Set(names)];
}
