import type { Profile } from '../../lib/profile.ts';

/** Every option of the process, by the name that code uses. Times in milliseconds. */
export interface OptionValues {
  /** The YAML file that options come from; undefined: none. */
  readonly config: string | undefined;
  /** undefined: not said, so the way the process was started decides. */
  readonly sandbox: boolean | undefined;
  readonly kubeconfig: string | undefined;
  readonly profile: Profile['name'];
  /** undefined: the profile's. */
  readonly configNamespace: string | undefined;
  /** Empty: all namespaces. */
  readonly watchNamespaces: readonly string[];
  /** undefined: every address of the machine, in the sandbox only 127.0.0.1. */
  readonly bindAddress: string | undefined;
  /** 0: a free port. */
  readonly metricsPort: number;
  readonly healthPort: number;
  readonly profilingPort: number;
  /** undefined: the queue is memory. */
  readonly dataDir: string | undefined;
  readonly deadLetterLimitBytes: number;
  /** /metrics over TLS, for callers whom the API server knows and lets. */
  readonly metricsSecure: boolean;
  /** Both or neither; undefined: a certificate made at the start. */
  readonly metricsCertFile: string | undefined;
  readonly metricsKeyFile: string | undefined;
  readonly leaderElect: boolean;
  /** undefined: called like the profile's component. */
  readonly leaseName: string | undefined;
  /** undefined: the config namespace. */
  readonly leaseNamespace: string | undefined;
  readonly leaseDurationMs: number;
  readonly leaseRenewDeadlineMs: number;
  readonly leaseRetryMs: number;
  readonly sandboxPrint: 'auto' | 'always' | 'never';
  /** 0: a free port. */
  readonly sandboxPort: number;
  /** Changes of runs a second. */
  readonly sandboxRate: number;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  /** Its text is the Authorization header. */
  readonly sinkAuthorizationFile: string | undefined;
  /** undefined: the authorities that Node trusts. */
  readonly sinkCaFile: string | undefined;
  /** Both or neither. */
  readonly sinkClientCertFile: string | undefined;
  readonly sinkClientKeyFile: string | undefined;
  readonly sinkConcurrency: number;
  readonly sinkTimeoutMs: number;
  readonly sinkBackoffInitialMs: number;
  readonly sinkBackoffMaxMs: number;
  readonly sinkRetryAfterMaxMs: number;
  readonly sinkGiveUpMs: number;
  readonly sinkHoldMs: number;
  readonly queueLimit: number;
  readonly queueLimitBytes: number;
  readonly checkpointIntervalMs: number;
  readonly kubeEventRatePerSecond: number;
  readonly kubeEventBurst: number;
  readonly listPageSize: number;
  readonly watchSilenceMs: number;
  readonly settingsWaitMs: number;
  readonly shutdownTimeoutMs: number;
}

/** Which API server to talk to. */
export type Cluster =
  | { readonly type: 'sandbox' }
  | { readonly type: 'in-cluster' }
  /** `file` may be a list of files, as KUBECONFIG may. */
  | { readonly type: 'kubeconfig'; readonly file: string };

/** Options that a run has settled in another form, or never needs. */
type Settled = 'config' | 'sandbox' | 'kubeconfig' | 'profile' | 'configNamespace' | 'leaseName' | 'leaseNamespace';

/** What a run is started with: every value settled. */
export interface RunOptions extends Omit<OptionValues, Settled> {
  readonly cluster: Cluster;
  readonly profile: Profile;
  readonly configNamespace: string;
  readonly leaseName: string;
  readonly leaseNamespace: string;
}
