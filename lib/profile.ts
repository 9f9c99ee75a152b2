import type { Kind } from './run/kind.ts';

/** The label keys that tie a run to its task, pipeline and owner. */
export interface LabelKeys {
  readonly task: string;
  readonly taskRun: string;
  readonly pipeline: string;
  readonly pipelineRun: string;
  readonly pipelineTask: string;
  readonly customRun: string;
}

/** Where a run carries the `traceparent` of whoever asked for it, as the JSON of `{"traceparent": "..."}`. */
interface AnnotationKeys {
  readonly pipelineRunSpanContext: string;
  readonly taskRunSpanContext: string;
}

/** The few things that two vendors do differently, each as a value. */
export interface Behaviour {
  /** What a TaskRun or PipelineRun without a condition owes. */
  readonly withoutCondition: 'nothing' | 'queued';
  /** When `started` is told: at the first Unknown of a run that is not parked, or only under reason `Started`. */
  readonly startedAt: 'first-unknown' | 'reason-started';
  /** Event types told at most once a run. */
  readonly toldOnce: 'started' | 'all-but-unknown';
  /** The reasons of Kubernetes Events: those of section 6.1, or the condition's own. */
  readonly kubeEventReasons: 'interface' | 'condition';
  /** Labels of `taskrun_total` and `pipelinerun_total`. */
  readonly totalLabels: readonly ('status' | 'reason')[];
  /** What a duration is when its labels name single runs. */
  readonly runLevelDuration: 'gauge' | 'histogram';
  /** Whether a parked run counts as running. */
  readonly parkedRunsRun: boolean;
  /** What becomes of a labelled throttle series at zero. */
  readonly throttleAtZero: 'gone' | 'kept';
  /** What a bare host:port endpoint means. */
  readonly bareEndpoint: 'plaintext' | 'tls';
}

/** The vendors that this controller can speak like; the first is the default. */
export const profileNames = ['svc', 'tekton'] as const;

/** Everything a vendor would rename. No other file knows a vendor's name. */
export interface Profile {
  readonly name: (typeof profileNames)[number];
  readonly apiGroup: string;
  /** Put before every metric of section 2.3. */
  readonly metricPrefix: string;
  readonly eventTypePrefix: string;
  /** The one value that `formats` may list. */
  readonly eventFormat: string;
  /** Where the config maps are, unless the command line says otherwise. */
  readonly configNamespace: string;
  /** Who we are in Events, leases and resource attributes. */
  readonly component: string;
  readonly labels: LabelKeys;
  readonly annotations: AnnotationKeys;
  /** The kind's word inside an event type: `<prefix><word>.started.v1`. */
  readonly eventWords: Readonly<Record<Kind, string>>;
  readonly behaviour: Behaviour;
}

const labelKeys = (group: string): LabelKeys => ({
  task: `${group}/task`,
  taskRun: `${group}/taskRun`,
  pipeline: `${group}/pipeline`,
  pipelineRun: `${group}/pipelineRun`,
  pipelineTask: `${group}/pipelineTask`,
  customRun: `${group}/customRun`,
});

const annotationKeys = (group: string): AnnotationKeys => ({
  pipelineRunSpanContext: `${group}/pipelinerunSpanContext`,
  taskRunSpanContext: `${group}/taskrunSpanContext`,
});

export const profiles: Readonly<Record<Profile['name'], Profile>> = {
  svc: {
    name: 'svc',
    apiGroup: 'svc.dev',
    metricPrefix: 'svc_pipelines_controller_',
    eventTypePrefix: 'dev.svc.event.',
    eventFormat: 'svcv1',
    configNamespace: 'svc-pipelines',
    component: 'svc-pipelines-controller',
    labels: labelKeys('svc.dev'),
    annotations: annotationKeys('svc.dev'),
    eventWords: { TaskRun: 'taskrun', PipelineRun: 'pipelinerun', CustomRun: 'run' },
    behaviour: {
      withoutCondition: 'nothing',
      startedAt: 'first-unknown',
      toldOnce: 'started',
      kubeEventReasons: 'interface',
      totalLabels: ['status', 'reason'],
      runLevelDuration: 'gauge',
      parkedRunsRun: false,
      throttleAtZero: 'gone',
      bareEndpoint: 'plaintext',
    },
  },
  tekton: {
    name: 'tekton',
    apiGroup: 'tekton.dev',
    metricPrefix: 'tekton_pipelines_controller_',
    eventTypePrefix: 'dev.tekton.event.',
    eventFormat: 'tektonv1',
    configNamespace: 'tekton-pipelines',
    component: 'tekton-pipelines-controller',
    labels: labelKeys('tekton.dev'),
    annotations: annotationKeys('tekton.dev'),
    eventWords: { TaskRun: 'taskrun', PipelineRun: 'pipelinerun', CustomRun: 'customrun' },
    behaviour: {
      withoutCondition: 'queued',
      startedAt: 'reason-started',
      toldOnce: 'all-but-unknown',
      kubeEventReasons: 'condition',
      totalLabels: ['status'],
      runLevelDuration: 'histogram',
      parkedRunsRun: true,
      throttleAtZero: 'kept',
      bareEndpoint: 'tls',
    },
  },
};
