import { type FieldRow, fieldRows } from '../row.ts';
import { envName, envPrefix } from './env-name.ts';
import { optionRows } from './option-rows.ts';
import { replayRows } from './replay-options.ts';

const usage = `Usage: controller [FLAG...]
       controller check-config FILE...
       controller cleanup [FLAG...]
       controller replay --data-dir DIR --to URL [REPLAY FLAG...]
       controller --help | --version

Watches TaskRuns, PipelineRuns and CustomRuns and tells what happened to them:
metrics, CloudEvents and Kubernetes Events.

check-config reads config maps as YAML and names every problem at once; exit 1 when there is one.
cleanup deletes the Lease and the last good settings of an installation that goes away.
replay sends the dead letters of a data dir again, under the same ids; exit 1 when one was not taken. --sink-timeout and
the flags that name files of the sink hold for it too.

Every flag is also an environment variable, ${envPrefix}NAME, and a key of the YAML file
that --config names. Flags outrank the environment, the environment outranks the file.
`;

/** What `--help` prints: every flag with what it takes, its default and its environment variable. */
export function helpText(): string {
  const ofReplay = fieldRows(replayRows).filter(({ field }) => field !== 'dataDir');
  return `${usage}\n${fieldRows(optionRows).map(flagHelp).join('\n')}\nFlags of replay alone:\n\n${ofReplay.map(replayFlagHelp).join('\n')}`;
}

function replayFlagHelp({ key, format, doc }: FieldRow): string {
  return [`  --${key}`, `        ${doc}`, `        Takes ${format.expected}.`, ''].join('\n');
}

function flagHelp({ key, format, doc, ...row }: FieldRow): string {
  return [
    `  --${key}${row.default === '' ? '' : `=${row.default}`}`,
    `        ${doc}`,
    `        Takes ${format.expected}. ${envName(key)}`,
    '',
  ].join('\n');
}
