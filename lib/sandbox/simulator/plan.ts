import { customLives, type Life, lifeNamed, taskLives } from './lives.ts';
import { fates, type Pipeline, type PipelineFate, pipelines } from './pipelines.ts';
import { weighted } from './random.ts';

/** What to begin next: a run that belongs to no other. */
export type Root =
  | { readonly kind: 'TaskRun'; readonly task: string; readonly life: Life }
  | { readonly kind: 'CustomRun'; readonly life: Life }
  | { readonly kind: 'PipelineRun'; readonly pipeline: Pipeline; readonly fate: PipelineFate };

const task = (life: string, name: string): Root => ({ kind: 'TaskRun', task: name, life: lifeNamed(taskLives, life) });
const custom = (life: string): Root => ({ kind: 'CustomRun', life: lifeNamed(customLives, life) });

function pipeline(fateName: string, pipelineName: string): Root {
  const fate = fates.find(({ name }) => name === fateName);
  const found = pipelines.find(({ name }) => name === pipelineName);
  if (fate === undefined || found === undefined) throw new Error(`expected a known fate and pipeline, got ${fateName}`);
  return { kind: 'PipelineRun', pipeline: found, fate };
}

/**
 * The first runs, in this order whatever the seed: between them they owe every event type of the interface
 * document, section 6.2, and feed every metric of section 2.3, within 20 s at the default rate.
 */
export const opening: readonly Root[] = [
  pipeline('success', 'nightly'),
  pipeline('failure', 'nightly'),
  task('quota', 'buildah'),
  custom('rejected'),
  task('node', 'go-test'),
  custom('approved'),
  pipeline('parked', 'nightly'),
  task('failure', 'golangci-lint'),
  task('success', 'git-clone'),
  task('invalid', 'git-clone'),
  task('cancel', 'buildah'),
  task('retry', 'go-test'),
  pipeline('cancel', 'build-and-deploy'),
  task('timeout', 'go-test'),
  task('parked', 'skopeo-copy'),
  pipeline('success', 'build-and-deploy'),
  pipeline('success', 'release'),
];

const taskNames = ['git-clone', 'go-test', 'golangci-lint', 'buildah', 'skopeo-copy', 'kubectl-apply'];

const kindsOfRoot: readonly { readonly weight: number; readonly make: (random: () => number) => Root }[] = [
  {
    weight: 6,
    make: (random) => ({
      kind: 'TaskRun',
      task: taskNames[Math.floor(random() * taskNames.length)] ?? 'git-clone',
      life: weighted(taskLives, random()),
    }),
  },
  { weight: 1, make: (random) => ({ kind: 'CustomRun', life: weighted(customLives, random()) }) },
  {
    weight: 3,
    make: (random) => ({
      kind: 'PipelineRun',
      pipeline: weighted(pipelines, random()),
      fate: weighted(fates, random()),
    }),
  },
];

/** The run to begin as number `index`, counted from 0: the opening, then one by chance. */
export function rootAt(index: number, random: () => number): Root {
  return opening[index] ?? weighted(kindsOfRoot, random()).make(random);
}
