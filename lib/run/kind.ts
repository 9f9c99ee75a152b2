/** The three kinds of run this controller tells about (interface document, section 2.1). */
export const kinds = ['TaskRun', 'PipelineRun', 'CustomRun'] as const;

export type Kind = (typeof kinds)[number];

/** A kind's names on the wire: its resource in paths and RBAC, and the one root key of an event's body. */
interface KindNames {
  readonly plural: string;
  readonly bodyKey: string;
}

export const kindNames: Readonly<Record<Kind, KindNames>> = {
  TaskRun: { plural: 'taskruns', bodyKey: 'taskRun' },
  PipelineRun: { plural: 'pipelineruns', bodyKey: 'pipelineRun' },
  CustomRun: { plural: 'customruns', bodyKey: 'customRun' },
};
