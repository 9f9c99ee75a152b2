import { deliveryLimits } from '../../lib/events/limits.ts';
import { profileNames } from '../../lib/profile.ts';
import { bytes } from '../formats/bytes.ts';
import { duration } from '../formats/duration.ts';
import { listOf } from '../formats/list-of.ts';
import { oneOf } from '../formats/one-of.ts';
import { orUnset } from '../formats/or-unset.ts';
import { text } from '../formats/text.ts';
import { truth } from '../formats/truth.ts';
import { whole } from '../formats/whole.ts';
import type { Rows } from '../row.ts';
import type { OptionValues } from './run-options.ts';

const namespace = text('a namespace name', /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
const objectName = text('a name of a Kubernetes object', /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/);
const path = text('a path', /^[^\0]+$/);
const address = text('an IP address or host name', /^[A-Za-z0-9:._-]+$/);
const port = whole({ min: 0, max: 65_535, what: 'a port' });
const namespaces = listOf({ ...namespace, expected: 'namespace names' });
const [secondMs, minuteMs, hourMs] = [1_000, 60_000, 3_600_000];

/** Every option as data: the flags, the environment, the file, the help and the docs are made of it. */
export const optionRows: Rows<OptionValues> = {
  config: {
    key: 'config',
    format: orUnset(path),
    default: '',
    doc: 'YAML file with these options by name; flags and environment outrank it.',
    example: '/etc/controller/options.yaml',
  },
  sandbox: {
    key: 'sandbox',
    format: orUnset(truth),
    default: '',
    doc: 'Run against the built-in sandbox. A bare npm start does, whatever KUBECONFIG says.',
    example: 'true',
  },
  kubeconfig: {
    key: 'kubeconfig',
    format: orUnset(path),
    default: '',
    doc: 'Run against the cluster of this file. Without it: in-cluster, else KUBECONFIG.',
    example: '/home/me/.kube/config',
  },
  profile: {
    key: 'profile',
    format: oneOf(...profileNames),
    default: profileNames[0],
    doc: 'The names that the controller speaks: API group, metrics, event types, labels.',
    example: profileNames[1],
  },
  configNamespace: {
    key: 'config-namespace',
    format: orUnset(namespace),
    default: '',
    doc: 'Namespace of the config maps. Empty: the one of the profile.',
    example: 'observability',
  },
  watchNamespaces: {
    key: 'watch-namespace',
    format: { ...namespaces, parse: (given) => (given === '' ? { value: [] } : namespaces.parse(given)) },
    default: '',
    doc: 'Namespaces whose runs are watched, separated by commas. Empty: all.',
    example: 'team-a,team-b',
  },
  bindAddress: {
    key: 'bind-address',
    format: orUnset(address),
    default: '',
    doc: 'Address that the ports are opened on. Empty: every address, in the sandbox 127.0.0.1.',
    example: '127.0.0.1',
  },
  metricsPort: {
    key: 'metrics-port',
    format: port,
    default: '9090',
    doc: 'Port of /metrics; 0 takes a free one.',
    example: '0',
  },
  healthPort: {
    key: 'health-port',
    format: port,
    default: '8080',
    doc: 'Port of /healthz, /readyz and the status page; 0 takes a free one.',
    example: '0',
  },
  profilingPort: {
    key: 'profiling-port',
    format: port,
    default: '8008',
    doc: 'Port of /debug/pprof/; 0 takes a free one.',
    example: '0',
  },
  dataDir: {
    key: 'data-dir',
    format: orUnset(path),
    default: '',
    doc: 'Directory that keeps queued events across restarts. Empty: they are in memory.',
    example: '/var/lib/controller',
  },
  deadLetterLimitBytes: {
    key: 'dead-letter-limit',
    format: bytes({ min: '64KiB', max: '64GiB' }),
    default: '64MiB',
    doc: 'Bytes of given-up events that are kept in the data dir; past it they are only counted.',
    example: '256MiB',
  },
  metricsSecure: {
    key: 'metrics-secure',
    format: truth,
    default: 'false',
    doc: 'Serves /metrics over TLS, and only to callers with a token that the API server knows and lets read it.',
    example: 'true',
  },
  metricsCertFile: {
    key: 'metrics-cert-file',
    format: orUnset(path),
    default: '',
    doc: 'Certificate in PEM for metrics-secure, read again when it changes. Empty: one made at the start.',
    example: '/etc/controller/metrics-tls/tls.crt',
  },
  metricsKeyFile: {
    key: 'metrics-key-file',
    format: orUnset(path),
    default: '',
    doc: 'Key of metrics-cert-file in PEM.',
    example: '/etc/controller/metrics-tls/tls.key',
  },
  leaderElect: {
    key: 'leader-elect',
    format: truth,
    default: 'true',
    doc: 'Whether replicas elect one that works, by a Lease.',
    example: 'false',
  },
  leaseName: {
    key: 'lease-name',
    format: orUnset(objectName),
    default: '',
    doc: 'Name of the Lease. Empty: the name of the component, as in the profile.',
    example: 'second-controller',
  },
  leaseNamespace: {
    key: 'lease-namespace',
    format: orUnset(namespace),
    default: '',
    doc: 'Namespace of the Lease. Empty: the config namespace.',
    example: 'observability',
  },
  leaseDurationMs: {
    key: 'lease-duration',
    format: duration({ minMs: secondMs, maxMs: 10 * minuteMs }),
    default: '15s',
    doc: 'How long a silent leader is waited for before another takes over.',
    example: '30s',
  },
  leaseRenewDeadlineMs: {
    key: 'lease-renew-deadline',
    format: duration({ minMs: 500, maxMs: 10 * minuteMs }),
    default: '10s',
    doc: 'How long a leader that cannot renew goes on. Less than lease-duration.',
    example: '8s',
  },
  leaseRetryMs: {
    key: 'lease-retry',
    format: duration({ minMs: 100, maxMs: minuteMs }),
    default: '2s',
    doc: 'Time between two tries to get or renew the Lease. Less than lease-renew-deadline.',
    example: '5s',
  },
  sandboxPrint: {
    key: 'sandbox-print',
    format: oneOf('auto', 'always', 'never'),
    default: 'auto',
    doc: 'Whether the sandbox prints what to try and a line an event; auto: in a terminal.',
    example: 'always',
  },
  sandboxPort: {
    key: 'sandbox-port',
    format: port,
    default: '8001',
    doc: "Port of the sandbox's API on 127.0.0.1; a free one where that is taken, or for 0.",
    example: '0',
  },
  sandboxRate: {
    key: 'sandbox-rate',
    format: whole({ min: 1, max: 1000, what: 'a number' }),
    default: '5',
    doc: 'Changes of runs a second in the sandbox.',
    example: '50',
  },
  logLevel: {
    key: 'log-level',
    format: oneOf('debug', 'info', 'warn', 'error'),
    default: 'info',
    doc: 'The least important log lines that are written.',
    example: 'debug',
  },
  sinkAuthorizationFile: {
    key: 'sink-authorization-file',
    format: orUnset(path),
    default: '',
    doc: 'File whose text the sink gets as Authorization header, read again when it changes and after a 401.',
    example: '/etc/controller/sink/authorization',
  },
  sinkCaFile: {
    key: 'sink-ca-file',
    format: orUnset(path),
    default: '',
    doc: 'Certificates in PEM that a sink is trusted by, instead of those that Node trusts; read again when it changes.',
    example: '/etc/controller/sink/ca.crt',
  },
  sinkClientCertFile: {
    key: 'sink-client-cert-file',
    format: orUnset(path),
    default: '',
    doc: 'Certificate in PEM that the sink is shown, read again when it changes.',
    example: '/etc/controller/sink-client/tls.crt',
  },
  sinkClientKeyFile: {
    key: 'sink-client-key-file',
    format: orUnset(path),
    default: '',
    doc: 'Key of sink-client-cert-file in PEM.',
    example: '/etc/controller/sink-client/tls.key',
  },
  sinkConcurrency: {
    key: 'sink-concurrency',
    format: whole({ min: 1, max: 1024 }),
    default: String(deliveryLimits.maxInFlight),
    doc: 'Events in flight to the sink at once, each of another run.',
    example: '8',
  },
  sinkTimeoutMs: {
    key: 'sink-timeout',
    format: duration({ minMs: 100, maxMs: 10 * minuteMs }),
    default: '30s',
    doc: 'How long one attempt to post an event may take.',
    example: '10s',
  },
  sinkBackoffInitialMs: {
    key: 'sink-backoff-initial',
    format: duration({ minMs: 10, maxMs: minuteMs }),
    default: '1s',
    doc: 'Longest wait before the first retry; it doubles with each, and the wait is a random part of it.',
    example: '500ms',
  },
  sinkBackoffMaxMs: {
    key: 'sink-backoff-max',
    format: duration({ minMs: 10, maxMs: hourMs }),
    default: '5m',
    doc: 'What the wait between retries grows to. Not less than sink-backoff-initial.',
    example: '1m',
  },
  sinkRetryAfterMaxMs: {
    key: 'sink-retry-after-max',
    format: duration({ minMs: secondMs, maxMs: 24 * hourMs }),
    default: '1h',
    doc: 'The longest Retry-After of a sink that is honoured.',
    example: '10m',
  },
  sinkGiveUpMs: {
    key: 'sink-give-up',
    format: duration({ minMs: secondMs, maxMs: 720 * hourMs }),
    default: '24h',
    doc: 'Age at which an event that could not be delivered is dropped.',
    example: '6h',
  },
  sinkHoldMs: {
    key: 'sink-hold',
    format: duration({ minMs: 100, maxMs: hourMs }),
    default: '1m',
    doc: 'How long delivery pauses after the config map that names the sink was deleted, before there is no sink.',
    example: '5m',
  },
  queueLimit: {
    key: 'queue-limit',
    format: whole({ min: 100, max: 10_000_000 }),
    default: String(deliveryLimits.maxEvents),
    doc: 'Events that may wait; past it superseded ones are dropped first.',
    example: '20000',
  },
  queueLimitBytes: {
    key: 'queue-limit-bytes',
    format: bytes({ min: '1MiB', max: '64GiB' }),
    default: `${deliveryLimits.maxBytes / 1024 ** 2}MiB`,
    doc: 'Bytes of events that may wait; past it superseded ones are dropped first.',
    example: '1GiB',
  },
  checkpointIntervalMs: {
    key: 'checkpoint-interval',
    format: duration({ minMs: 100, maxMs: minuteMs }),
    default: '5s',
    doc: 'Least time between two writes of the checkpoint.',
    example: '10s',
  },
  kubeEventRatePerSecond: {
    key: 'kube-event-rate',
    format: whole({ min: 1, max: 10_000 }),
    default: '50',
    doc: 'Kubernetes Events written a second, in the long run; the rest are dropped and counted.',
    example: '10',
  },
  kubeEventBurst: {
    key: 'kube-event-burst',
    format: whole({ min: 1, max: 100_000 }),
    default: '500',
    doc: 'Kubernetes Events that may be written at once after a quiet time.',
    example: '100',
  },
  listPageSize: {
    key: 'list-page-size',
    format: whole({ min: 10, max: 10_000 }),
    default: '500',
    doc: 'Runs asked of the API server in one page.',
    example: '250',
  },
  watchSilenceMs: {
    key: 'watch-silence',
    format: duration({ minMs: secondMs, maxMs: hourMs }),
    default: '1m30s',
    doc: 'How long a watch may say nothing, not even a bookmark, before it is opened again.',
    example: '3m',
  },
  settingsWaitMs: {
    key: 'settings-wait',
    format: duration({ minMs: 100, maxMs: hourMs }),
    default: '30s',
    doc: 'How long the config maps are waited for before the last good text is used.',
    example: '10s',
  },
  shutdownTimeoutMs: {
    key: 'shutdown-timeout',
    format: duration({ minMs: 100, maxMs: 10 * minuteMs }),
    default: '10s',
    doc: 'How long a shutdown may take to deliver and to write the checkpoint.',
    example: '25s',
  },
};
