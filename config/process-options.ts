import { profiles } from '../lib/profile.ts';
import { truth } from './formats/truth.ts';
import { nearestName } from './nearest-name.ts';
import { clusterOf } from './process/cluster-of.ts';
import { helpText } from './process/help-text.ts';
import { optionRows } from './process/option-rows.ts';
import { readArgv } from './process/read-argv.ts';
import { readLayers } from './process/read-layers.ts';
import { type ReplayOptions, replayOptions, replayRows } from './process/replay-options.ts';
import type { OptionValues, RunOptions } from './process/run-options.ts';
import { wrongFiles } from './process/wrong-files.ts';
import { wrongOrder } from './process/wrong-order.ts';
import { type FieldRow, fieldRows } from './row.ts';
import { settle } from './settle.ts';

/** What the process was asked to do; `error` is one sentence for stderr, and exit code 2. */
type ProcessOptions =
  /** `cleanup`: take away what a run has written besides Events, its Lease and its last good settings. */
  | { readonly command: 'run' | 'cleanup'; readonly options: RunOptions }
  | { readonly command: 'check-config'; readonly files: readonly string[]; readonly profile: RunOptions['profile'] }
  /** Send dead letters again. */
  | { readonly command: 'replay'; readonly options: ReplayOptions }
  | { readonly command: 'help'; readonly text: string }
  | { readonly command: 'version' }
  | { readonly error: string };

interface Start {
  /** Without the program and its file. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The text of a file; throws one clear sentence when there is none. */
  readonly readFile: (path: string) => string;
  /** What a start that names no cluster means: the sandbox (`npm start`), or the cluster around (the bundle). */
  readonly bare: 'sandbox' | 'cluster';
}

const commands = new Set(['check-config', 'cleanup', 'help', 'replay', 'version']);
const rows = fieldRows(optionRows);
const isBare = ({ format }: FieldRow) => format.expected === truth.expected;
const knownBy = (rows: readonly FieldRow[]) => ({
  valued: new Set(rows.filter((row) => !isBare(row)).map(({ key }) => key)),
  bare: new Set([...rows.filter(isBare).map(({ key }) => key), 'help', 'version']),
  commands,
});
const known = knownBy(rows);
const knownToReplay = knownBy([...rows, ...fieldRows(replayRows)]);

/**
 * What the arguments, the environment and the YAML file ask for, in this order of precedence.
 *
 * A wrong value is an error also where a stronger one outranks it: it would hold as soon as that one goes.
 */
export function parseProcessOptions(start: Start): ProcessOptions {
  const argv = readArgv(start.argv, start.argv.includes('replay') ? knownToReplay : known);
  if ('error' in argv) return argv;
  const { help, version, ...flags } = argv.flags;
  const [command = 'run', ...words] = argv.words;
  if (help !== undefined || command === 'help') return { command: 'help', text: helpText() };
  if (version !== undefined || command === 'version') return { command: 'version' };
  if (argv.words.length > 0 && !commands.has(command)) return { error: unknownCommand(command) };
  if (command === 'replay') return replayCommand(flags, words, start);
  const layers = readLayers(flags, start);
  if ('error' in layers) return layers;
  const values = settle<OptionValues>(optionRows, ...layers.layers);
  if (command === 'check-config') return checkCommand(values, words);
  if (words.length > 0) return { error: `${command}: expected no more arguments, got ${words.length}` };
  return command === 'cleanup' ? runCommand(command, values, start) : runCommand('run', values, start);
}

function unknownCommand(command: string): string {
  const near = nearestName(command, commands);
  return near ? `${command}: unknown command, did you mean ${near}?` : `${command}: unknown command, --help lists all`;
}

function checkCommand({ profile }: OptionValues, files: readonly string[]): ProcessOptions {
  if (files.length === 0) return { error: 'check-config: expected one file or more, got none' };
  return { command: 'check-config', files, profile: profiles[profile] };
}

function replayCommand(
  flags: Readonly<Record<string, string>>,
  words: readonly string[],
  { env }: Start,
): ProcessOptions {
  if (words.length > 0) return { error: `replay: expected no more arguments, got ${words.length}` };
  const options = replayOptions(flags, env);
  return 'error' in options ? options : { command: 'replay', options };
}

function runCommand(command: 'run' | 'cleanup', all: OptionValues, start: Start): ProcessOptions {
  const { config: _, sandbox, kubeconfig, ...values } = all;
  const wrong = wrongOrder(values) ?? wrongFiles(values);
  if (wrong !== undefined) return { error: wrong };
  const cluster = clusterOf({ sandbox, kubeconfig }, start);
  if ('error' in cluster) return cluster;
  const profile = profiles[values.profile];
  const configNamespace = values.configNamespace ?? profile.configNamespace;
  const bindAddress = values.bindAddress ?? (cluster.type === 'sandbox' ? '127.0.0.1' : undefined);
  const leaseName = values.leaseName ?? profile.component;
  const leaseNamespace = values.leaseNamespace ?? configNamespace;
  return { command, options: { ...values, cluster, profile, configNamespace, bindAddress, leaseName, leaseNamespace } };
}
