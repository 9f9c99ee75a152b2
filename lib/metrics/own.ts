/** One of our own metrics: what the controller says about itself. Names carry no prefix here. */
export interface OwnMetric {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** One sentence without a newline: a newline in HELP would end the line and break the whole scrape. */
  readonly help: string;
  readonly labels: readonly string[];
  /** Label values that exist from the start, at 0. A metric without labels always does. */
  readonly initial?: readonly Readonly<Record<string, string>>[];
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
}

const each = (label: string, values: readonly string[]) => values.map((value) => ({ [label]: value }));

const resources = each('resource', ['taskruns', 'pipelineruns', 'customruns']);
const maps = each('map', ['config-observability', 'config-events', 'config-defaults', 'feature-flags']);

/** Why a watch had to be opened again; a closed set. */
const restartCauses = ['expired', 'ended', 'silent', 'refused', 'unreachable', 'malformed'] as const;
export type RestartCause = (typeof restartCauses)[number];

/** Why an event left the queue without an acknowledgement; a closed set. */
export const dropCauses = ['queue-full', 'sink-removed', 'gave-up', 'unencodable', 'shutdown', 'history-lost'] as const;
export type DropCause = (typeof dropCauses)[number];

/** How one attempt to deliver ended; a closed set. */
const attemptResults = ['2xx', '3xx', '4xx', '5xx', 'timeout', 'unreachable', 'tls', 'broken'] as const;

/** What became of a Kubernetes Event; a closed set. */
const kubeEventOutcomes = ['written', 'exists', 'rate-limited', 'forbidden', 'failed'] as const;
export type KubeEventOutcome = (typeof kubeEventOutcomes)[number];

/** What is read from files and may rotate; a closed set. */
const credentialNames = ['sink-authorization', 'sink-tls', 'metrics-tls'] as const;
export type CredentialName = (typeof credentialNames)[number];

/** What becomes of a scrape with metrics-secure; a closed set. */
const scrapeAdmissions = ['allowed', 'unauthenticated', 'forbidden', 'unavailable', 'busy'] as const;
export type ScrapeAdmission = (typeof scrapeAdmissions)[number];

const crossed = (
  left: readonly Readonly<Record<string, string>>[],
  right: readonly Readonly<Record<string, string>>[],
) => left.flatMap((a) => right.map((b) => ({ ...a, ...b })));

/** Every metric about the controller itself, as data. The names behind `Measure`. */
export const ownMetrics = [
  {
    name: 'event_delivery_attempts_total',
    type: 'counter',
    help: 'Attempts to post a CloudEvent to the sink, by how they ended.',
    labels: ['result'],
    initial: each('result', attemptResults),
  },
  {
    name: 'event_deliveries_total',
    type: 'counter',
    help: 'CloudEvents that the sink acknowledged with a 2xx answer.',
    labels: [],
  },
  {
    name: 'event_drops_total',
    type: 'counter',
    help: 'CloudEvents that left the queue without an acknowledgement, by cause.',
    labels: ['cause'],
    initial: each('cause', dropCauses),
  },
  {
    name: 'event_delivery_lag_seconds',
    type: 'histogram',
    help: 'Seconds from the transition time of a condition to the acknowledgement of its CloudEvent.',
    labels: [],
    buckets: [0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600, 21600, 86400],
  },
  { name: 'event_queue_length', type: 'gauge', help: 'CloudEvents that wait for an acknowledgement.', labels: [] },
  {
    name: 'event_queue_bytes',
    type: 'gauge',
    help: 'Bytes of the CloudEvents that wait for an acknowledgement.',
    labels: [],
  },
  {
    name: 'event_queue_limit',
    type: 'gauge',
    help: 'CloudEvents that may wait before superseded ones are dropped.',
    labels: [],
  },
  {
    name: 'event_queue_limit_bytes',
    type: 'gauge',
    help: 'Bytes of CloudEvents that may wait before superseded ones are dropped.',
    labels: [],
  },
  {
    name: 'event_oldest_unsent_seconds',
    type: 'gauge',
    help: 'Age in seconds of the oldest CloudEvent that waits for an acknowledgement, 0 when none waits.',
    labels: [],
  },
  { name: 'event_deliveries_in_flight', type: 'gauge', help: 'Posts to the sink that are under way.', labels: [] },
  { name: 'event_sink_configured', type: 'gauge', help: 'Whether a sink is configured, 1 or 0.', labels: [] },
  {
    name: 'event_sink_circuit_open',
    type: 'gauge',
    help: 'Whether the sink fails for different runs and is only probed, 1 or 0.',
    labels: [],
  },
  {
    name: 'outbox_events',
    type: 'gauge',
    help: 'CloudEvents that stand in the data dir, 0 without one.',
    labels: [],
  },
  {
    name: 'outbox_waiting_events',
    type: 'gauge',
    help: 'CloudEvents that are not yet written to the data dir, nor acknowledged.',
    labels: [],
  },
  {
    name: 'outbox_commit_seconds',
    type: 'histogram',
    help: 'Seconds that one write to the data dir took.',
    labels: [],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5],
  },
  { name: 'outbox_write_failures_total', type: 'counter', help: 'Writes to the data dir that failed.', labels: [] },
  {
    name: 'outbox_told_given_up_total',
    type: 'counter',
    help: 'Times that what was told of each run was given up, because too many runs waited for the disk.',
    labels: [],
  },
  {
    name: 'dead_letters_total',
    type: 'counter',
    help: 'Dropped CloudEvents by whether the dead letters of the data dir had room for them.',
    labels: ['outcome'],
    initial: each('outcome', ['kept', 'refused']),
  },
  {
    name: 'exports_total',
    type: 'counter',
    help: 'Pushes of metrics and traces over OTLP, by whether the endpoint took them.',
    labels: ['signal', 'outcome'],
    initial: crossed(each('signal', ['metrics', 'traces']), each('outcome', ['taken', 'failed'])),
  },
  {
    name: 'exporter_switches_total',
    type: 'counter',
    help: 'Settings of exporters taken up or refused on our side, by signal.',
    labels: ['signal', 'outcome'],
    initial: crossed(each('signal', ['metrics', 'traces']), each('outcome', ['applied', 'refused'])),
  },
  {
    name: 'spans_dropped_total',
    type: 'counter',
    help: 'Spans that were not sent, by cause.',
    labels: ['cause'],
    initial: each('cause', ['queue-full', 'refused', 'shutdown']),
  },
  { name: 'span_queue_length', type: 'gauge', help: 'Spans that wait or are under way.', labels: [] },
  {
    name: 'trace_history_forgotten_total',
    type: 'counter',
    help: 'What traces could not remember of unfinished runs for want of room, by what it was.',
    labels: ['cause'],
    initial: each('cause', ['events-per-run', 'runs', 'pipelineruns']),
  },
  {
    name: 'kubernetes_events_total',
    type: 'counter',
    help: 'Kubernetes Events about runs, by what became of them.',
    labels: ['outcome'],
    initial: each('outcome', kubeEventOutcomes),
  },
  {
    name: 'config_valid',
    type: 'gauge',
    help: 'Whether the config map as it stands is in force, 1, or was refused, 0.',
    labels: ['map'],
    initial: maps,
  },
  {
    name: 'config_changes_total',
    type: 'counter',
    help: 'Versions of a config map read, by whether they were applied or refused.',
    labels: ['map', 'outcome'],
    initial: crossed(maps, each('outcome', ['applied', 'refused'])),
  },
  {
    name: 'config_last_applied_timestamp_seconds',
    type: 'gauge',
    help: 'When a version of the config map was last applied, in seconds since the epoch.',
    labels: ['map'],
    initial: maps,
  },
  {
    name: 'watch_restarts_total',
    type: 'counter',
    help: 'Watches that had to be opened again, by resource and cause.',
    labels: ['resource', 'cause'],
    initial: crossed(resources, each('cause', restartCauses)),
  },
  {
    name: 'watch_events_total',
    type: 'counter',
    help: 'Versions of runs and config maps received, by resource or name of the map.',
    labels: ['resource'],
    initial: resources,
  },
  {
    name: 'watch_malformed_total',
    type: 'counter',
    help: 'Runs or watch lines that could not be read, by resource.',
    labels: ['resource'],
    initial: resources,
  },
  {
    name: 'missed_versions_unread_total',
    type: 'counter',
    help: 'Runs of which not every version that nobody watched was read back, because too many were missed.',
    labels: ['resource'],
    initial: resources,
  },
  {
    name: 'term_restarts_total',
    type: 'counter',
    help: 'Times that all watches began again from the checkpoint, after a bug or because too much waited while the Lease had lapsed.',
    labels: [],
  },
  {
    name: 'watch_last_contact_timestamp_seconds',
    type: 'gauge',
    help: 'When the API server last said anything about the resource, in seconds since the epoch.',
    labels: ['resource'],
    initial: resources,
  },
  {
    name: 'resource_available',
    type: 'gauge',
    help: 'Whether the API server has the resource, 1 or 0.',
    labels: ['resource'],
    initial: resources,
  },
  {
    name: 'resource_synced',
    type: 'gauge',
    help: 'Whether the resource is listed and watched, 1 or 0.',
    labels: ['resource'],
    initial: resources,
  },
  {
    name: 'list_duration_seconds',
    type: 'histogram',
    help: 'Seconds that one complete paged list took.',
    labels: [],
    buckets: [0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120],
  },
  {
    name: 'retained_runs',
    type: 'gauge',
    help: 'Runs that are remembered, by resource.',
    labels: ['resource'],
    initial: resources,
  },
  {
    name: 'api_requests_total',
    type: 'counter',
    help: 'Requests to the API server, by verb and status code, 0 where none came.',
    labels: ['verb', 'code'],
  },
  {
    name: 'credential_reads_total',
    type: 'counter',
    help: 'Times that changed credential files were read again, by whether what was in them was taken.',
    labels: ['credential', 'outcome'],
    initial: crossed(each('credential', credentialNames), each('outcome', ['applied', 'refused'])),
  },
  {
    name: 'scrape_admissions_total',
    type: 'counter',
    help: 'Scrapes with metrics-secure, by whether they were let in or why not.',
    labels: ['outcome'],
    initial: each('outcome', scrapeAdmissions),
  },
  { name: 'series', type: 'gauge', help: 'Label combinations that a metric has now.', labels: ['metric'] },
  {
    name: 'series_limit',
    type: 'gauge',
    help: 'Label combinations that one metric may have before new values become _overflow.',
    labels: [],
  },
  {
    name: 'series_overflow_total',
    type: 'counter',
    help: 'Samples whose label values became _overflow because the metric had reached its series limit.',
    labels: ['metric'],
  },
  {
    name: 'series_holding_runs',
    type: 'gauge',
    help: 'Finished runs whose deletion will let a run-level or last-value series go.',
    labels: [],
  },
  {
    name: 'series_holding_runs_forgotten_total',
    type: 'counter',
    help: 'Finished runs taken for deleted, oldest first, because too many held a series.',
    labels: [],
  },
  {
    name: 'running_runs_uncounted_total',
    type: 'counter',
    help: 'Running runs that no gauge counts because too many are running.',
    labels: [],
  },
  {
    name: 'build_info',
    type: 'gauge',
    help: 'The version that runs, always 1.',
    labels: ['version', 'node', 'profile'],
  },
] as const satisfies readonly OwnMetric[];

type Named<Type extends OwnMetric['type']> = Extract<(typeof ownMetrics)[number], { type: Type }>['name'];

/** How any part of the controller says a number about itself; names and types are checked by the compiler. */
export interface Measure {
  /** Adds `by` (1 by default) to a counter. */
  count(name: Named<'counter'>, labels?: Readonly<Record<string, string>>, by?: number): void;
  /** Sets a gauge. */
  set(name: Named<'gauge'>, value: number, labels?: Readonly<Record<string, string>>): void;
  /** Adds one observation to a histogram. */
  observe(name: Named<'histogram'>, value: number, labels?: Readonly<Record<string, string>>): void;
}

/** Measures nothing: for specs that look at something else. */
export const noMeasure: Measure = { count() {}, set() {}, observe() {} };
