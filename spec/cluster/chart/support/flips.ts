import type { Values } from './helm.ts';

/** One value of the chart set to something else than its default, and what it needs beside it to have an effect. */
interface Flip {
  readonly path: string;
  readonly to: unknown;
  readonly beside?: Readonly<Record<string, unknown>>;
}

const serviceMonitor = { 'serviceMonitor.enabled': true };
const podMonitor = { 'podMonitor.enabled': true };
const rules = { 'prometheusRule.enabled': true };
const policy = { 'networkPolicy.enabled': true };
const disk = { 'persistence.enabled': true };
const dashboard = { 'dashboard.enabled': true };
const labels = { team: 'builds' };
const peer = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } };

/** Every value of the chart; a spec checks that none is missing. */
export const flips: readonly Flip[] = [
  { path: 'fullnameOverride', to: 'second' },
  { path: 'profile', to: 'tekton' },
  { path: 'watchNamespaces', to: ['svc-pipelines', 'default'] },
  { path: 'replicaCount', to: 3 },
  { path: 'image.repository', to: 'mirror/controller' },
  { path: 'image.tag', to: '9.9.9' },
  { path: 'image.digest', to: `sha256:${'0'.repeat(64)}` },
  { path: 'image.pullPolicy', to: 'Always' },
  { path: 'imagePullSecrets', to: [{ name: 'pull' }] },
  { path: 'logLevel', to: 'debug' },
  { path: 'bindAddress', to: '::' },
  { path: 'leaderElection.enabled', to: false },
  { path: 'config.namespace', to: 'default' },
  { path: 'config.create', to: false },
  { path: 'config.observability', to: { 'metrics.taskrun.level': 'namespace', 'metrics.series-limit': 1_000_000 } },
  { path: 'config.events', to: { sink: 'http://broker.example/runs' } },
  { path: 'config.defaults', to: { 'default-cloud-events-sink': 'http://broker.example/' } },
  { path: 'config.featureFlags', to: { 'send-cloudevents-for-runs': true } },
  { path: 'admissionPolicy.enabled', to: false },
  { path: 'persistence.enabled', to: true },
  { path: 'persistence.size', to: '5Gi', beside: disk },
  { path: 'persistence.storageClassName', to: 'fast', beside: disk },
  { path: 'persistence.keepOnUninstall', to: true, beside: disk },
  { path: 'crds.install', to: true },
  { path: 'serviceAccount.create', to: false, beside: { 'serviceAccount.name': 'given' } },
  { path: 'serviceAccount.name', to: 'given' },
  { path: 'serviceAccount.annotations', to: { 'example.com/role': 'reader' } },
  { path: 'rbac.create', to: false },
  { path: 'metrics.secure', to: true },
  {
    path: 'metrics.tlsSecret',
    to: 'metrics-tls',
    beside: { 'metrics.secure': true, 'serviceMonitor.enabled': true },
  },
  { path: 'sink.authorizationSecret', to: 'sink-authorization' },
  { path: 'sink.caSecret', to: 'sink-ca' },
  { path: 'sink.clientCertSecret', to: 'sink-client' },
  { path: 'service.annotations', to: { 'prometheus.io/scrape': 'true' } },
  { path: 'serviceMonitor.enabled', to: true, beside: { 'metrics.secure': true } },
  { path: 'serviceMonitor.interval', to: '10s', beside: serviceMonitor },
  { path: 'serviceMonitor.labels', to: labels, beside: serviceMonitor },
  { path: 'podMonitor.enabled', to: true },
  { path: 'podMonitor.interval', to: '10s', beside: podMonitor },
  { path: 'podMonitor.labels', to: labels, beside: podMonitor },
  { path: 'prometheusRule.enabled', to: true },
  { path: 'prometheusRule.labels', to: labels, beside: rules },
  { path: 'prometheusRule.runbookBaseUrl', to: 'https://runbooks.example', beside: rules },
  { path: 'prometheusRule.oldestUnsentSeconds', to: 60, beside: rules },
  { path: 'prometheusRule.queueFillRatio', to: 0.5, beside: rules },
  { path: 'dashboard.enabled', to: true },
  { path: 'dashboard.labels', to: labels, beside: dashboard },
  { path: 'dashboard.annotations', to: { grafana_folder: 'Pipelines' }, beside: dashboard },
  { path: 'networkPolicy.enabled', to: true },
  { path: 'networkPolicy.ingressFrom', to: [peer], beside: policy },
  { path: 'networkPolicy.egress', to: [{ to: [peer] }], beside: policy },
  { path: 'podDisruptionBudget.enabled', to: true },
  { path: 'resources', to: { requests: { cpu: '1' } } },
  { path: 'terminationGracePeriodSeconds', to: 60 },
  { path: 'extraEnv', to: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/certs/ca.pem' }] },
  { path: 'extraArgs', to: ['--sink-concurrency=8'] },
  { path: 'extraVolumes', to: [{ name: 'certs', secret: { secretName: 'certs' } }] },
  {
    path: 'extraVolumeMounts',
    to: [{ name: 'certs', mountPath: '/certs', readOnly: true }],
    beside: { extraVolumes: [{ name: 'certs', secret: { secretName: 'certs' } }] },
  },
  { path: 'podAnnotations', to: { note: 'x' } },
  { path: 'podLabels', to: labels },
  { path: 'nodeSelector', to: { 'kubernetes.io/os': 'linux' } },
  { path: 'tolerations', to: [{ key: 'infra', operator: 'Exists' }] },
  {
    path: 'affinity',
    to: {
      podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector: {} }] },
    },
  },
  { path: 'priorityClassName', to: 'system-cluster-critical' },
  { path: 'test.enabled', to: false },
  { path: 'cleanup.enabled', to: false },
];

/** `{ 'a.b': 1 }` as `{ a: { b: 1 } }`. */
export function nested(flat: Readonly<Record<string, unknown>>): Values {
  const tree: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(flat)) {
    const names = path.split('.');
    const last = names.pop() ?? '';
    let at = tree;
    for (const name of names) {
      at[name] = { ...(at[name] as Record<string, unknown> | undefined) };
      at = at[name] as Record<string, unknown>;
    }
    at[last] = value;
  }
  return tree;
}

/** The values file that a flip is. */
export function valuesOf({ path, to, beside = {} }: Flip): Values {
  return nested({ ...beside, [path]: to });
}
