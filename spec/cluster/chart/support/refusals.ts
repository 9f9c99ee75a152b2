/** Values that are refused before anything is sent to a cluster, and a part of what helm says. */
export const refusals: readonly { readonly values: Readonly<Record<string, unknown>>; readonly sentence: string }[] = [
  { values: { replicas: 2 }, sentence: "additional properties 'replicas' not allowed" },
  { values: { replicaCount: '2' }, sentence: "at '/replicaCount': got string, want integer" },
  { values: { replicaCount: 11 }, sentence: "at '/replicaCount': maximum: got 11, want 10" },
  { values: { profile: 'other' }, sentence: "at '/profile': value must be one of 'svc', 'tekton'" },
  {
    values: { logLevel: 'verbose' },
    sentence: "at '/logLevel': value must be one of 'debug', 'info', 'warn', 'error'",
  },
  { values: { 'persistence.size': '1' }, sentence: "at '/persistence/size': '1' does not match pattern" },
  { values: { 'image.digest': 'latest' }, sentence: "at '/image/digest': 'latest' does not match pattern" },
  { values: { watchNamespaces: 'ci' }, sentence: "at '/watchNamespaces': got string, want array" },
  {
    values: { 'config.observability': { 'metrics.taskrun.level': 'pod' } },
    sentence: "at '/config/observability/metrics.taskrun.level': value must be one of 'taskrun', 'task', 'namespace'",
  },
  {
    values: { 'config.observability': { 'metrics.taskrun.levle': 'task' } },
    sentence: "at '/config/observability': additional properties 'metrics.taskrun.levle' not allowed",
  },
  {
    values: { 'config.observability': { 'metrics-export-interval': '5x' } },
    sentence: "at '/config/observability/metrics-export-interval': '5x' does not match pattern",
  },
  {
    values: { 'config.observability': { 'metrics.series-limit': 5 } },
    sentence: "at '/config/observability/metrics.series-limit': minimum: got 5, want 100",
  },
  { values: { 'config.events': { formats: '' } }, sentence: "at '/config/events/formats': '' does not match pattern" },
  {
    values: { 'config.events': { sink: 'broker' } },
    sentence: "at '/config/events/sink': 'broker' does not match pattern",
  },
  {
    values: { replicaCount: 2, 'leaderElection.enabled': false },
    sentence:
      'leaderElection.enabled: expected true with replicaCount 2, got false: every replica would send every event',
  },
  {
    values: { 'serviceAccount.create': false },
    sentence:
      'serviceAccount.name: expected the name of an existing account as serviceAccount.create is false, got none',
  },
  {
    values: { 'serviceMonitor.enabled': true, 'podMonitor.enabled': true },
    sentence: 'podMonitor.enabled: expected false as serviceMonitor.enabled is true, got true',
  },
  {
    values: { 'metrics.tlsSecret': 'metrics-tls' },
    sentence:
      'metrics.secure: expected true as metrics.tlsSecret is set, got false: metrics would be served without TLS',
  },
  {
    values: { 'podMonitor.enabled': true, 'metrics.secure': true },
    sentence:
      'podMonitor.enabled: expected false as metrics.secure is true, got true: only a ServiceMonitor can send a token',
  },
];
