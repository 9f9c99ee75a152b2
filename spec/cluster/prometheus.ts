import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheDir } from '../../scripts/cluster/tools.ts';
import { freePorts } from './free-ports.ts';
import { supervisor } from './supervisor.ts';
import { until } from './until.ts';

/** One series of an instant vector. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A real Prometheus on loopback that scrapes once a second and keeps exemplars. */
export interface Prometheus {
  /** The series that an expression has now, in Prometheus' order; rejects with what it has against it. */
  query(expr: string): Promise<readonly Sample[]>;
  /** The `data` of an answer of its HTTP API: `rules`, `targets`, `series?match[]=up`. */
  ask(path: string): Promise<unknown>;
  /** Settles when an expression has this one value. */
  untilIs(expr: string, value: number): Promise<void>;
  stop(): Promise<void>;
}

interface PrometheusOptions {
  /** `127.0.0.1:<port>`, scraped at `/metrics`. */
  readonly target: string;
  /** Put on every sample that lacks them, as service discovery does. */
  readonly targetLabels: Readonly<Record<string, string>>;
  /** Whether a sample's own labels win. */
  readonly honorLabels: boolean;
  /** A file of rules, as the Prometheus operator makes of a PrometheusRule. */
  readonly rules: unknown;
}

/** Where `.ci/run` unpacks the Debian package on a machine that lacks it. */
const unpacked = join(cacheDir, 'prometheus/usr/bin/prometheus');

/** Starts Prometheus and waits until it has scraped the target once; it ends with this process, however that ends. */
export async function startPrometheus(options: PrometheusOptions): Promise<Prometheus> {
  const dir = mkdtempSync(join(tmpdir(), 'spec-prometheus-'));
  const servers = supervisor(dir);
  const [port = 0] = await freePorts(1);
  const address = `127.0.0.1:${port}`;
  const prometheus = { ...apiOf(`http://${address}/api/v1/`), stop: () => servers.end() };
  try {
    await servers.start(daemon(dir, address, options), async () => (await fetch(`http://${address}/-/ready`)).ok);
    await prometheus.untilIs('up', 1);
    return prometheus;
  } catch (error) {
    await servers.end();
    throw error;
  }
}

function daemon(dir: string, address: string, options: PrometheusOptions) {
  writeFileSync(join(dir, 'rules.yaml'), JSON.stringify(options.rules));
  writeFileSync(join(dir, 'prometheus.yaml'), JSON.stringify(configOf(options)));
  return {
    name: 'prometheus',
    file: existsSync(unpacked) ? unpacked : 'prometheus',
    logFile: join(dir, 'prometheus.log'),
    args: [
      `--config.file=${join(dir, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(dir, 'data')}`,
      `--web.listen-address=${address}`,
      '--enable-feature=exemplar-storage',
      '--log.level=warn',
    ],
  };
}

/** JSON is YAML too. */
function configOf({ target, targetLabels, honorLabels }: PrometheusOptions): object {
  return {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yaml'],
    scrape_configs: [
      {
        job_name: 'controller',
        honor_labels: honorLabels,
        static_configs: [{ targets: [target], labels: targetLabels }],
      },
    ],
  };
}

interface Vector {
  readonly result: readonly {
    readonly metric: Readonly<Record<string, string>>;
    readonly value: readonly [number, string];
  }[];
}

function apiOf(api: string): Omit<Prometheus, 'stop'> {
  const ask = async (path: string) => {
    const answer = (await (await fetch(api + path)).json()) as { readonly data?: unknown; readonly error?: string };
    if (answer.error !== undefined) throw new Error(`${decodeURIComponent(path)}: expected data, got ${answer.error}`);
    return answer.data;
  };
  const query = async (expr: string) => {
    const { result } = (await ask(`query?query=${encodeURIComponent(expr)}`)) as Vector;
    return result.map(({ metric: labels, value: [, text] }) => ({ labels, value: Number(text) }));
  };
  return {
    ask,
    query,
    untilIs: (expr, value) =>
      until(async () => (await query(expr)).some((sample) => sample.value === value), {
        what: `Prometheus to answer ${value} to ${expr}`,
      }),
  };
}

/** One alerting rule as Prometheus evaluated it last; in year 1 before it ever was. */
interface AlertState {
  readonly name: string;
  readonly health: string;
  readonly state: string;
  readonly lastEvaluation: string;
}

/** Every alerting rule of its rule files. */
export async function alertsOf(prometheus: Prometheus): Promise<readonly AlertState[]> {
  const { groups } = (await prometheus.ask('rules')) as {
    readonly groups: readonly { readonly rules: readonly AlertState[] }[];
  };
  return groups.flatMap(({ rules }) => rules);
}
