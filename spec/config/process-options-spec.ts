import { expect } from 'chai';
import { envName } from '../../config/process/env-name.ts';
import { optionRows } from '../../config/process/option-rows.ts';
import { parseProcessOptions } from '../../config/process-options.ts';
import { fieldRows } from '../../config/row.ts';
import { deliveryLimits } from '../../lib/events/limits.ts';
import { profiles } from '../../lib/profile.ts';

interface Start {
  readonly env?: Record<string, string>;
  readonly files?: Record<string, string>;
  readonly bare?: 'sandbox' | 'cluster';
}

function parse(argv: string, { env = {}, files = {}, bare = 'sandbox' }: Start = {}) {
  const readFile = (path: string) => {
    const text = files[path];
    if (text === undefined) throw new Error(`${path}: cannot be read, there is no such file`);
    return text;
  };
  return parseProcessOptions({ argv: argv.split(' ').filter(Boolean), env, readFile, bare });
}

function run(argv: string, start: Start = {}) {
  const parsed = parse(argv, start);
  if ('error' in parsed) expect.fail(parsed.error);
  if (parsed.command !== 'run') expect.fail(parsed.command);
  return parsed.options;
}

const { probeBackoff, minProbeGapMs, ...deliveryLimitsByOption } = deliveryLimits;

/** What some options are refused without. */
const needs: Readonly<Record<string, string>> = {
  'metrics-cert-file': '--metrics-secure --metrics-key-file=/k',
  'metrics-key-file': '--metrics-secure --metrics-cert-file=/c',
  'sink-client-cert-file': '--sink-client-key-file=/k',
  'sink-client-key-file': '--sink-client-cert-file=/c',
};

describe('parseProcessOptions', () => {
  it('delivers by default within the limits that hold where nothing is configured', () => {
    const options = run('');
    expect({
      maxEvents: options.queueLimit,
      maxBytes: options.queueLimitBytes,
      maxInFlight: options.sinkConcurrency,
      backoff: { initialMs: options.sinkBackoffInitialMs, maxMs: options.sinkBackoffMaxMs, factor: 2 },
      maxRetryAfterMs: options.sinkRetryAfterMaxMs,
      giveUpAfterMs: options.sinkGiveUpMs,
    }).to.deep.equal(deliveryLimitsByOption);
  });

  it('settles every option by default', () => {
    expect(run('')).to.deep.equal({
      cluster: { type: 'sandbox' },
      profile: profiles.svc,
      configNamespace: 'svc-pipelines',
      watchNamespaces: [],
      bindAddress: '127.0.0.1',
      metricsPort: 9090,
      healthPort: 8080,
      profilingPort: 8008,
      dataDir: undefined,
      deadLetterLimitBytes: 67108864,
      metricsSecure: false,
      metricsCertFile: undefined,
      metricsKeyFile: undefined,
      leaderElect: true,
      leaseName: 'svc-pipelines-controller',
      leaseNamespace: 'svc-pipelines',
      leaseDurationMs: 15_000,
      leaseRenewDeadlineMs: 10_000,
      leaseRetryMs: 2_000,
      sandboxPrint: 'auto',
      sandboxPort: 8001,
      sandboxRate: 5,
      logLevel: 'info',
      sinkAuthorizationFile: undefined,
      sinkCaFile: undefined,
      sinkClientCertFile: undefined,
      sinkClientKeyFile: undefined,
      sinkConcurrency: 64,
      sinkTimeoutMs: 30_000,
      sinkBackoffInitialMs: 1_000,
      sinkBackoffMaxMs: 300_000,
      sinkRetryAfterMaxMs: 3_600_000,
      sinkGiveUpMs: 86_400_000,
      sinkHoldMs: 60_000,
      queueLimit: 100_000,
      queueLimitBytes: 268_435_456,
      checkpointIntervalMs: 5_000,
      kubeEventRatePerSecond: 50,
      kubeEventBurst: 500,
      listPageSize: 500,
      watchSilenceMs: 90_000,
      settingsWaitMs: 30_000,
      shutdownTimeoutMs: 10_000,
    });
  });

  it('reads a flag with and without an equals sign, the last one counting', () => {
    expect(run('--metrics-port 1 --metrics-port=2 --health-port 3')).to.include({ metricsPort: 2, healthPort: 3 });
    expect(run('--watch-namespace a,b,a').watchNamespaces).to.deep.equal(['a', 'b']);
    expect(run('--data-dir=a=b').dataDir).to.equal('a=b');
  });

  it('prefers flags to the environment and the environment to the file', () => {
    const files = { 'o.yaml': 'metrics-port: 1\nhealth-port: 1\nprofiling-port: 1\n' };
    const env = { CONTROLLER_OPTION_HEALTH_PORT: '2', CONTROLLER_OPTION_PROFILING_PORT: '2' };
    const ports = { metricsPort: 1, healthPort: 2, profilingPort: 3 };
    expect(run('--config o.yaml --profiling-port 3', { files, env })).to.include(ports);
    expect(run('--profiling-port 3', { files, env: { ...env, CONTROLLER_OPTION_CONFIG: 'o.yaml' } })).to.include(ports);
  });

  it('reads what YAML makes of a file: numbers, booleans, lists and nothing', () => {
    const files = { 'o.yaml': 'leader-elect: false\nwatch-namespace: [a, b]\ndata-dir:\nsink-timeout: 5s\n' };
    expect(run('--config o.yaml', { files })).to.deep.include({
      leaderElect: false,
      watchNamespaces: ['a', 'b'],
      dataDir: undefined,
      sinkTimeoutMs: 5_000,
    });
    expect(run('--config o.yaml', { files: { 'o.yaml': '' } }).metricsPort).to.equal(9090);
  });

  it('takes an empty environment variable as not set', () => {
    expect(run('', { env: { CONTROLLER_OPTION_METRICS_PORT: '', CONTROLLER_OPTION_CONFIG: '' } }).metricsPort).to.equal(
      9090,
    );
  });

  it('gives each option a flag, a variable and a key that all read its example', () => {
    for (const { key, example } of fieldRows(optionRows)) {
      if (key === 'config') continue;
      const start: Start = { bare: 'cluster', env: { KUBECONFIG: 'k' } };
      const beside = needs[key] ?? '';
      const byFlag = parse(`--${key}=${example} ${beside}`, start);
      const byEnv = parse(beside, { ...start, env: { KUBECONFIG: 'k', [envName(key)]: example } });
      const byFile = parse(`--config f ${beside}`, { ...start, files: { f: `${key}: "${example}"` } });
      expect(byEnv, key).to.deep.equal(byFlag);
      expect(byFile, key).to.deep.equal(byFlag);
      expect(byFlag, key).to.include({ command: 'run' });
      expect(byFlag, key).not.to.deep.equal(parse('', start));
    }
  });

  it('takes names and namespace from the profile unless told otherwise', () => {
    expect(run('--profile tekton')).to.deep.include({ profile: profiles.tekton, configNamespace: 'tekton-pipelines' });
    const moved = run('--profile tekton --config-namespace here');
    expect(moved).to.include({
      configNamespace: 'here',
      leaseNamespace: 'here',
      leaseName: 'tekton-pipelines-controller',
    });
    expect(run('--lease-namespace there --lease-name mine')).to.include({ leaseNamespace: 'there', leaseName: 'mine' });
  });

  const inPod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBECONFIG: 'shell' };
  const clusters = [
    { argv: '', start: { bare: 'sandbox', env: inPod }, want: { type: 'sandbox' } },
    { argv: '--sandbox', start: { bare: 'cluster', env: inPod }, want: { type: 'sandbox' } },
    { argv: '--sandbox=true', start: { bare: 'cluster' }, want: { type: 'sandbox' } },
    { argv: '--kubeconfig mine', start: { bare: 'sandbox', env: inPod }, want: { type: 'kubeconfig', file: 'mine' } },
    {
      argv: '--sandbox false --kubeconfig mine',
      start: { bare: 'sandbox' },
      want: { type: 'kubeconfig', file: 'mine' },
    },
    { argv: '--sandbox=false', start: { bare: 'sandbox', env: inPod }, want: { type: 'in-cluster' } },
    { argv: '', start: { bare: 'cluster', env: inPod }, want: { type: 'in-cluster' } },
    { argv: '', start: { bare: 'cluster', env: { KUBECONFIG: 'shell' } }, want: { type: 'kubeconfig', file: 'shell' } },
  ] as const;
  for (const { argv, start, want } of clusters) {
    it(`runs against ${JSON.stringify(want)} with "${argv}" in ${JSON.stringify(start)}`, () => {
      const options = run(argv, start);
      expect(options.cluster).to.deep.equal(want);
      expect(options.bindAddress).to.equal(want.type === 'sandbox' ? '127.0.0.1' : undefined);
    });
  }

  const errors = [
    { argv: '--metrics-prt 1', want: '--metrics-prt: unknown flag, did you mean --metrics-port?' },
    { argv: '--token=secret', want: '--token: unknown flag, --help lists all' },
    { argv: '-v', want: '-v: unknown flag, --help lists all' },
    { argv: '--metrics-port', want: '--metrics-port: expected a value, got nothing' },
    { argv: '--metrics-port --sandbox', want: '--metrics-port: expected a value, got nothing' },
    { argv: '--metrics-port=', want: '--metrics-port: expected a port from 0 to 65535, got ""' },
    { argv: '--metrics-port 65536', want: '--metrics-port: expected a port from 0 to 65535, got "65536"' },
    { argv: '--leader-elect yes', want: '--leader-elect: expected true | false, got "yes"' },
    { argv: '--sandbox=1', want: '--sandbox: expected true | false, got "1"' },
    { argv: '--profile other', want: '--profile: expected svc | tekton, got "other"' },
    {
      argv: '--watch-namespace A',
      want: '--watch-namespace: expected a comma-separated list of namespace names, got "A"',
    },
    {
      argv: '--sandbox --kubeconfig f',
      want: '--sandbox and --kubeconfig: expected one of them, got both',
    },
    {
      argv: '--lease-duration 10s',
      want: '--lease-renew-deadline: expected less than --lease-duration (10s), got 10s',
    },
    {
      argv: '--sink-backoff-max 999ms',
      want: '--sink-backoff-initial: expected at most --sink-backoff-max (999ms), got 1s',
    },
    { argv: 'check-confg f', want: 'check-confg: unknown command, did you mean check-config?' },
    { argv: 'serve', want: 'serve: unknown command, --help lists all' },
    { argv: 'check-config', want: 'check-config: expected one file or more, got none' },
    { argv: '--config missing', want: 'missing: cannot be read, there is no such file' },
    { argv: '--config list', want: 'list: expected one mapping of options, got something else' },
    { argv: '--config two', want: 'two: expected one mapping of options, got something else' },
    { argv: '--config broken', want: 'broken: expected YAML, got bad indent at line 3, column 1' },
    { argv: '--config typo', want: 'typo: helth-port: unknown option, did you mean typo: health-port?' },
    { argv: '--config nested', want: 'nested: log-level: expected debug | info | warn | error, got "{\\"a\\":1}"' },
  ];
  const files = {
    list: '- a',
    two: 'log-level: info\n---\nlog-level: info',
    broken: 'a:\n  b: 1\n c: 2',
    typo: 'helth-port: 1',
    nested: 'log-level: {a: 1}',
  };
  for (const { argv, want } of errors) {
    it(`answers "${argv}" with: ${want}`, () => {
      expect(parse(argv, { files })).to.deep.equal({ error: want });
    });
  }

  it('names everything wrong at once, wherever it stands', () => {
    const env = { CONTROLLER_OPTION_LOG_LEVEL: 'loud', CONTROLLER_OPTION_METRIC_PORT: '1' };
    expect(parse('--health-port x', { env })).to.deep.equal({
      error:
        'CONTROLLER_OPTION_LOG_LEVEL: expected debug | info | warn | error, got "loud"; ' +
        'CONTROLLER_OPTION_METRIC_PORT: unknown option, did you mean CONTROLLER_OPTION_METRICS_PORT?; ' +
        '--health-port: expected a port from 0 to 65535, got "x"',
    });
  });

  it('says in one sentence that no cluster is to be found', () => {
    expect(parse('', { bare: 'cluster' })).to.deep.equal({
      error:
        'expected --kubeconfig FILE, --sandbox, KUBECONFIG or a pod in a cluster, got none (also CONTROLLER_OPTION_KUBECONFIG)',
    });
  });

  it('hands over the files to check, whatever cluster there is', () => {
    const want = { command: 'check-config', files: ['a', 'b'], profile: profiles.tekton };
    expect(parse('check-config a b --profile tekton', { bare: 'cluster' })).to.deep.equal(want);
    expect(parse('--sandbox check-config a b --profile=tekton')).to.deep.equal(want);
    expect(parse('check-config a --profile x')).to.deep.equal({ error: '--profile: expected svc | tekton, got "x"' });
  });

  it('hands over the same options to clean up as to run', () => {
    const argv = '--lease-name mine --kubeconfig f';
    expect(parse(`cleanup ${argv}`)).to.deep.equal({ command: 'cleanup', options: run(argv) });
    expect(parse('cleanup all')).to.deep.equal({ error: 'cleanup: expected no more arguments, got 1' });
  });

  it('prints its version', () => {
    for (const argv of ['--version', 'version']) expect(parse(argv)).to.deep.equal({ command: 'version' });
  });

  it('prints every flag with default and variable as help', () => {
    const help = parse('--help');
    expect(parse('help')).to.deep.equal(help);
    const text = 'text' in help ? help.text : '';
    for (const row of fieldRows(optionRows)) {
      expect(text).to.contain(`\n  --${row.key}${row.default && `=${row.default}`}\n        ${row.doc}\n`);
      expect(text).to.contain(`Takes ${row.format.expected}. ${envName(row.key)}\n`);
    }
    expect(text).to.contain('--metrics-port=9090').and.to.contain('CONTROLLER_OPTION_METRICS_PORT');
  });
});
