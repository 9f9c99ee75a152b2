import type { Resource } from '../../run/run.ts';
import { customLives, lifeNamed, type ScriptedCondition, taskLives } from './lives.ts';
import {
  type Pipeline,
  type PipelineFate,
  type PipelineTask,
  pipelineCondition,
  readyTasks,
  type TaskState,
} from './pipelines.ts';
import { playLife } from './play-life.ts';
import type { Actor, Stage } from './stage.ts';

const started: ScriptedCondition = { status: 'Unknown', reason: 'Started', message: '' };
const parked: ScriptedCondition = {
  status: 'Unknown',
  reason: 'PipelineRunPending',
  message: 'PipelineRun "{name}" is pending',
};
const stops: Readonly<Record<'cancel' | 'timeout', ScriptedCondition>> = {
  cancel: { status: 'False', reason: 'Cancelled', message: 'PipelineRun "{name}" was cancelled' },
  timeout: {
    status: 'False',
    reason: 'PipelineRunTimeout',
    message: 'PipelineRun "{name}" failed to finish within "6s"',
  },
};

/** One PipelineRun and the runs it makes, from its first condition to its last. */
class PipelinePlay {
  readonly #stage: Stage;
  readonly #actor: Actor;
  readonly #pipeline: Pipeline;
  readonly #fate: PipelineFate;
  readonly #onEnd: (actors: readonly Actor[]) => void;
  readonly #states: Map<string, TaskState>;
  readonly #children = new Map<string, Actor>();
  #over = false;

  constructor(stage: Stage, pipeline: Pipeline, fate: PipelineFate, onEnd: (actors: readonly Actor[]) => void) {
    this.#stage = stage;
    this.#pipeline = pipeline;
    this.#fate = fate;
    this.#onEnd = onEnd;
    this.#states = new Map(pipeline.tasks.map(({ name }) => [name, 'waiting']));
    this.#actor = stage.enter({
      kind: 'PipelineRun',
      ref: pipeline.name,
      stem: pipeline.name,
      specStatus: fate.parked === true ? 'PipelineRunPending' : undefined,
      neverStarts: fate.invalid !== undefined,
    });
  }

  begin(): void {
    const { invalid, parked: waits } = this.#fate;
    if (invalid !== undefined) this.#stage.later(400, () => this.#finish(invalid));
    else if (waits === true) this.#stage.later(300, () => this.#park());
    else this.#stage.later(300, () => this.#start());
  }

  #park(): void {
    this.#stage.tell(this.#actor, parked);
    this.#stage.later(3000, () => {
      this.#stage.ask(this.#actor, '');
      this.#stage.later(300, () => this.#start());
    });
  }

  #start(): void {
    this.#stage.tell(this.#actor, started);
    this.#stage.later(300, () => this.#goOn());
    const { stop } = this.#fate;
    if (stop !== undefined) this.#stage.later(stop.afterMs, () => this.#stop(stop.cancel ? 'cancel' : 'timeout'));
  }

  /** Says how far the tasks have come, and starts what may start. */
  #goOn(): void {
    if (this.#over) return;
    if (this.#stage.asked(this.#actor) === 'Cancelled') {
      this.#stop('cancel');
      return;
    }
    const condition = pipelineCondition(this.#pipeline, this.#states);
    if (condition.status !== 'Unknown' || this.#stage.present(this.#actor) === undefined) {
      this.#finish(condition);
      return;
    }
    this.#stage.tell(this.#actor, condition, { childReferences: this.#references() });
    for (const task of readyTasks(this.#pipeline, this.#states)) {
      this.#states.set(task.name, 'running');
      this.#stage.later(200, () => this.#startTask(task));
    }
  }

  #startTask(task: PipelineTask): void {
    if (this.#over) return;
    const { name, apiVersion, uid } = this.#actor;
    const kind = task.task === undefined ? 'CustomRun' : 'TaskRun';
    const owner = { pipeline: this.#pipeline.name, pipelineRun: name, pipelineTask: task.name, uid, apiVersion };
    const child = this.#stage.enter({ kind, ref: task.task ?? 'release-manager', stem: `${name}-${task.name}`, owner });
    this.#children.set(task.name, child);
    const last = this.#pipeline.tasks.at(-1) === task;
    const life =
      kind === 'CustomRun'
        ? lifeNamed(customLives, 'approved')
        : lifeNamed(taskLives, last ? this.#fate.lastLife : 'success');
    playLife(this.#stage, child, life, (state) => {
      this.#states.set(task.name, state);
      this.#stage.later(200, () => this.#goOn());
    });
  }

  /** Cancels what runs; the TaskRuns end on their own after that. */
  #stop(why: 'cancel' | 'timeout'): void {
    if (this.#over) return;
    if (why === 'cancel') this.#stage.ask(this.#actor, 'Cancelled');
    for (const [name, child] of this.#children) {
      if (this.#states.get(name) === 'running' && child.kind === 'TaskRun') this.#stage.ask(child, 'TaskRunCancelled');
    }
    this.#over = true;
    this.#stage.later(500, () => this.#finish(stops[why]));
  }

  #finish(condition: ScriptedCondition): void {
    this.#over = true;
    this.#stage.tell(this.#actor, condition, { childReferences: this.#references() });
    this.#onEnd([this.#actor, ...this.#children.values()]);
  }

  #references(): readonly Resource[] {
    return [...this.#children].map(([pipelineTaskName, { apiVersion, kind, name }]) => ({
      apiVersion,
      kind,
      name,
      pipelineTaskName,
    }));
  }
}

/** Plays one PipelineRun with all its TaskRuns and CustomRuns; at its end hands over all the runs there were. */
export function playPipeline(
  stage: Stage,
  pipeline: Pipeline,
  fate: PipelineFate,
  onEnd: (actors: readonly Actor[]) => void,
): void {
  new PipelinePlay(stage, pipeline, fate, onEnd).begin();
}
